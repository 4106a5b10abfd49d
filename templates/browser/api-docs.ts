/** The page of the API reference: signs in and out, and hands the token to the reference UI, which shows the document and tries
 *  its requests. */
import { button, element, noticeView } from './dom.ts'
import { canSignIn, finishSignIn, keptToken, leaveToSignIn, type SignIn, signOut } from './sign-in.ts'
import { parsedJson } from './values.ts'

/** What the server tells the script, as JSON in the page. Source: templates/pages/api-docs.ts. */
interface DocsSettings {
  readonly documentPath: string
  /** Of the document, as the build names it. */
  readonly securityScheme: 'bearerAuth' | 'oauth2'
  readonly signIn: SignIn | null
}

/** The global that the UI's own script makes. */
interface ReferenceUi {
  readonly createApiReference: (selector: string, configuration: object) => unknown
}

/** Begins; the page calls it. */
export function startApiDocs(): void {
  const root = document.querySelector('[data-api-docs]')
  // Our own server wrote it, in this very page.
  const settings = parsedJson(root?.getAttribute('data-api-docs') ?? '') as DocsSettings
  if (root !== null) void show(root, settings)
}

async function show(root: Element, settings: DocsSettings): Promise<void> {
  const { signIn } = settings
  const failure = signIn === null ? null : await finishSignIn(signIn)
  const actions = signIn === null ? [] : actionsOf(signIn)
  root.append(...(failure === null ? [] : [noticeView('error', 'Not signed in.', failure)]), ...actions)
  const { Scalar } = globalThis as typeof globalThis & { readonly Scalar?: ReferenceUi }
  keepOneMain()
  Scalar?.createApiReference('[data-reference]', configurationOf(settings, keptToken()))
}

/** The UI brings a second `main`, that of a dialog; a user who moves by landmarks finds one. Source: HTML, the main element. */
function keepOneMain(): void {
  const all = document.getElementsByTagName('main')
  const demote = (): void => {
    for (const other of [...all].slice(1))
      if (!other.hasAttribute('role')) other.setAttribute('role', 'group')
  }
  new MutationObserver(demote).observe(document.body, { childList: true, subtree: true })
}

/** What would ask others, or send something to them, is off; the page's policy forbids it too. */
const configurationOf = ({ documentPath, securityScheme }: DocsSettings, token: string | null): object => ({
  url: documentPath,
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
  authentication: {
    preferredSecurityScheme: securityScheme,
    ...(token === null ? {} : { securitySchemes: schemesWith(securityScheme, token) }),
  },
})

/** Where scopes are declared, a document has both. */
const schemesWith = (securityScheme: DocsSettings['securityScheme'], token: string): object => ({
  bearerAuth: { token },
  ...(securityScheme === 'oauth2' ? { oauth2: { flows: { authorizationCode: { token } } } } : {}),
})

/** The UI takes a token when it begins: the page begins anew with another one. */
function actionsOf(signIn: SignIn): readonly Node[] {
  if (keptToken() !== null) {
    const leave = (): void => void signOut(signIn).then(() => location.reload())
    return [element('span', {}, ['Requests are sent as you.']), button('Sign out', 'secondary', leave)]
  }
  if (!canSignIn(signIn))
    return [element('a', { class: 'button', href: signIn.redirectUri }, [`Sign in at ${signIn.redirectUri}`])]
  return [button('Sign in', 'primary', () => void leaveToSignIn(signIn))]
}
