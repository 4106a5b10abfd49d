/** The page of the MCP endpoint: signs in and out, shows the tools, calls them. Everything comes from the endpoint itself, as
 *  any client gets it. */
import { button, disclosure, element, noticeView } from './dom.ts'
import { ask, type HttpAnswer, listTools, resultOf, type ToolListing } from './mcp-client.ts'
import {
  canSignIn,
  finishSignIn,
  forgetToken,
  keptToken,
  leaveToSignIn,
  type SignIn,
  signOut,
} from './sign-in.ts'
import { type CallTarget, toolView } from './tool-view.ts'
import { arrayOf, isJsonObject, parsedJson, textOr } from './values.ts'

/** What the server tells the script, as JSON in the page. Source: templates/pages/connect.ts. */
export interface ConnectSettings {
  /** The path of the endpoint. */
  readonly mcpPath: string
  /** Whether the address of the page is that of one toolbox. */
  readonly isToolbox: boolean
  /** Whether this browser may use the endpoint without a token. */
  readonly isAllowed: boolean
  readonly listToolboxes: string
  readonly signIn: SignIn | null
}

interface View {
  readonly settings: ConnectSettings
  readonly status: HTMLElement
  readonly actions: HTMLElement
  readonly tools: HTMLElement
}

/** Begins; the page calls it. */
export function startConnectPage(): void {
  const root = document.querySelector('[data-connect]')
  const [status, actions, tools] = ['status', 'actions', 'tools'].map((name) =>
    root?.querySelector(`[data-${name}]`),
  )
  if (!(status instanceof HTMLElement && actions instanceof HTMLElement && tools instanceof HTMLElement))
    return
  root?.querySelector('[data-no-script]')?.remove()
  // Our own server wrote it, in this very page.
  const settings = parsedJson(root?.getAttribute('data-connect') ?? '') as ConnectSettings
  void show({ settings, status, actions, tools })
}

async function show(view: View): Promise<void> {
  const { settings, status } = view
  const failure = settings.signIn === null ? null : await finishSignIn(settings.signIn)
  status.replaceChildren(...(failure === null ? [] : [noticeView('error', 'Not signed in.', failure)]))
  showActions(view)
  if (keptToken() !== null) document.querySelector('[data-how]')?.removeAttribute('open') // they are here for the tools
  if (settings.isAllowed || keptToken() !== null) await showTools(view)
}

function showActions(view: View): void {
  const { signIn } = view.settings
  view.actions.replaceChildren(...(signIn === null ? [] : actionsOf(view, signIn)))
}

function actionsOf(view: View, signIn: SignIn): readonly Node[] {
  if (keptToken() !== null) return signedIn(view, signIn)
  const why = view.settings.isAllowed
    ? 'Some tools may want to know who you are.'
    : 'Sign in to read the tools as a model reads them, and to try them.'
  const text = element('p', {}, [why])
  if (canSignIn(signIn)) return [text, button('Sign in', 'primary', () => void leaveToSignIn(signIn))]
  const { redirectUri } = signIn
  return [text, element('a', { class: 'button', href: redirectUri }, [`Sign in at ${redirectUri}`])]
}

function signedIn(view: View, signIn: SignIn): readonly Node[] {
  const leave = async (): Promise<void> => {
    const failure = await signOut(signIn)
    ended(
      view,
      failure === null
        ? noticeView('info', 'Signed out.', 'The token is revoked.')
        : noticeView('error', 'Signed out.', failure),
    )
  }
  const user = subjectOf(keptToken() ?? '')
  return [
    element('p', {}, ['Signed in as ', element('strong', { 'data-user': true }, [user]), '.']),
    button('Sign out', 'secondary', () => void leave()),
  ]
}

/** Shows what a user sees who is not signed in. */
function ended(view: View, said: HTMLElement): void {
  view.status.replaceChildren(said)
  view.tools.replaceChildren()
  showActions(view)
  if (view.settings.isAllowed) void showTools(view)
}

/** Whose the token says it is: the service decides, this is shown only. */
function subjectOf(token: string): string {
  const [, claims = ''] = token.split('.')
  const bytes = Uint8Array.from(decodedBase64(claims), (character) => character.charCodeAt(0))
  const value = parsedJson(new TextDecoder().decode(bytes))
  return isJsonObject(value) ? textOr(value.sub, '') : ''
}

function decodedBase64(text: string): string {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

async function showTools(view: View): Promise<void> {
  const { settings, tools } = view
  const target: CallTarget = {
    path: settings.mcpPath,
    token: keptToken,
    answered: (answer) => endIfRefused(view, answer),
  }
  const listed = await listTools(location.pathname, keptToken())
  if ('status' in listed)
    return void (endIfRefused(view, listed) || tools.replaceChildren(refusedList(listed)))
  const boxes = settings.isToolbox ? [] : await toolboxes(target, settings)
  tools.replaceChildren(
    element('h3', {}, [settings.isToolbox ? 'The tools of this toolbox' : 'What a model sees first']),
    ...views(listed, target),
    ...(boxes.length === 0 ? [] : [element('h3', {}, ['Toolboxes']), ...boxes]),
  )
}

const views = (tools: readonly ToolListing[], target: CallTarget): readonly HTMLElement[] =>
  tools.map((tool) => toolView(tool, target))

const refusedList = ({ status, statusText }: HttpAnswer): HTMLElement =>
  noticeView('error', 'The tools could not be listed.', `HTTP ${status} ${statusText}`)

/** A token that is refused is none any more. Returns whether that is so. */
function endIfRefused(view: View, { status }: HttpAnswer): boolean {
  if (status !== 401 || keptToken() === null) return false
  forgetToken()
  ended(view, noticeView('info', 'Your sign-in has ended.', 'Sign in again to go on.'))
  return true
}

/** Each with its tools, which are listed when it is opened. */
async function toolboxes(
  target: CallTarget,
  { listToolboxes }: ConnectSettings,
): Promise<readonly HTMLElement[]> {
  const answer = await ask(target.path, target.token(), 'tools/call', { name: listToolboxes, arguments: {} })
  const structured = resultOf(answer)?.structuredContent
  const boxes = isJsonObject(structured) ? arrayOf(structured.toolboxes).filter(isJsonObject) : []
  return boxes.map((box) => toolboxView(box, target))
}

function toolboxView(box: Readonly<Record<string, unknown>>, target: CallTarget): HTMLElement {
  const name = textOr(box.name, '')
  const content = element('div', { class: 'tools' }, ['Loading …'])
  const heading = element('span', {}, [
    element('code', {}, [name]),
    ` · ${String(box.tools)} ${box.tools === 1 ? 'tool' : 'tools'}`,
  ])
  const view = disclosure(heading, [element('p', { class: 'text' }, [textOr(box.description, '')]), content])
  view.className = 'toolbox'
  const open = async (): Promise<void> => {
    const path = `${target.path.replace(/\/$/, '')}/${encodeURIComponent(name)}`
    const listed = await listTools(path, target.token())
    const isList = !('status' in listed)
    content.replaceChildren(...(isList ? views(listed, target) : [refusedList(listed)]))
    if (!isList) target.answered(listed)
  }
  view.addEventListener('toggle', () => void open(), { once: true })
  return view
}
