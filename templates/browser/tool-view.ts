/** A tool as a model reads it, and a form that calls it. */
import { button, type Child, disclosure, element, noticeView, preformatted } from './dom.ts'
import { ask, type HttpAnswer, resultOf, type Token, type ToolListing } from './mcp-client.ts'
import { argumentsOf, fieldOf } from './schema-form.ts'
import { arrayOf, isJsonObject, type JsonObject, textOr } from './values.ts'

/** Where tools are called. */
export interface CallTarget {
  /** The path of the endpoint. */
  readonly path: string
  readonly token: () => Token
  /** Told of every answer: a 401 ends a sign-in. */
  readonly answered: (answer: HttpAnswer) => void
}

let made = 0

/** The tool, closed; what is in it is made when it is opened. */
export function toolView(tool: ToolListing, target: CallTarget): HTMLElement {
  const heading = element('span', {}, [element('code', {}, [tool.name]), ' ', hintBadge(tool)])
  const view = disclosure(heading, [])
  view.className = 'tool'
  const open = (): void => view.append(...contents(tool, target))
  view.addEventListener('toggle', open, { once: true })
  return view
}

/** A server that says nothing of a tool says that it may do anything. Source: MCP 2025-11-25, Tools, ToolAnnotations. */
const isReading = ({ annotations }: ToolListing): boolean => annotations.readOnlyHint === true
const isDestructive = (tool: ToolListing): boolean =>
  !isReading(tool) && tool.annotations.destructiveHint !== false

function hintBadge(tool: ToolListing): HTMLElement {
  if (isReading(tool)) return element('span', { class: 'badge good' }, ['reads'])
  return isDestructive(tool)
    ? element('span', { class: 'badge bad' }, ['may delete'])
    : element('span', { class: 'badge warn' }, ['changes something'])
}

function contents(tool: ToolListing, target: CallTarget): readonly Node[] {
  const { title, description, inputSchema } = tool
  return [
    ...(title === null ? [] : [element('p', {}, [element('strong', {}, [title])])]),
    element('p', { class: 'text' }, [description]),
    callForm(tool, target),
    disclosure('Input schema', [preformatted(pretty(inputSchema), `Input schema of ${tool.name}`)]),
  ]
}

/** Reads the arguments; what changes something is asked once more. */
function callForm(tool: ToolListing, target: CallTarget): HTMLElement {
  made += 1
  const id = `call-${made}`
  const fields = argumentsOf(tool.inputSchema).map((argument, index) => fieldOf(argument, `${id}-${index}`))
  const outcome = element('div', { class: 'outcome', 'aria-live': 'polite' })
  const send = async (args: JsonObject): Promise<void> => {
    outcome.replaceChildren('Calling …')
    const answer = await ask(target.path, target.token(), 'tools/call', { name: tool.name, arguments: args })
    outcome.replaceChildren(...answerView(answer).filter((part) => part !== null))
    target.answered(answer)
  }
  const submit = element('button', { type: 'submit', class: 'primary' }, ['Call'])
  const form = element('form', { novalidate: true, 'aria-label': `Call ${tool.name}` }, [
    ...fields.map((field) => field.element),
    element('div', { class: 'actions' }, [submit]),
    outcome,
  ])
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const readings = fields.map((field) => ({ field, reading: field.read() }))
    const [first] = readings.filter(({ reading }) => reading.kind === 'wrong')
    if (first !== undefined) return first.field.focus()
    const args = Object.fromEntries(
      readings.flatMap(({ field: { name }, reading }) =>
        reading.kind === 'value' ? [[name, reading.value] as const] : [],
      ),
    )
    if (isReading(tool)) void send(args)
    else askOnceMore(tool, outcome, { confirm: () => void send(args), cancel: () => submit.focus() })
  })
  return form
}

function askOnceMore(
  tool: ToolListing,
  outcome: HTMLElement,
  { confirm, cancel }: { readonly confirm: () => void; readonly cancel: () => void },
): void {
  const text = isDestructive(tool)
    ? 'It may delete or overwrite, and it does so for real.'
    : 'It changes something, and it does so for real.'
  const back = button('Cancel', 'secondary', () => {
    outcome.replaceChildren()
    cancel()
  })
  const warning = noticeView('warning', `Call ${tool.name}?`, text)
  outcome.replaceChildren(
    warning,
    element('div', { class: 'actions' }, [button('Call it now', 'primary', confirm), back]),
  )
  back.focus()
}

/** What a client gets, nothing left out. */
function answerView(answer: HttpAnswer): readonly Child[] {
  const { status, statusText, headers, body, message } = answer
  if (status === 0) return [noticeView('error', 'No answer.', 'The service could not be reached.')]
  const whole = disclosure('The whole answer', [preformatted(body, 'The whole answer')])
  const result = resultOf(answer)
  if (result !== null) return [...resultView(result), whole]
  const refusal = isJsonObject(message?.error) ? textOr(message.error.message, '') : ''
  return [
    noticeView('error', `HTTP ${status} ${statusText}`.trim(), refusal),
    ...headers.map(([name, value]) => preformatted(`${name}: ${value}`, `Header ${name}`)),
    whole,
  ]
}

function resultView(result: JsonObject): readonly Child[] {
  const { content, structuredContent, isError } = result
  return [
    isError === true
      ? noticeView('error', 'isError: true', 'A model reads this as a failed call.')
      : noticeView('success', 'The tool answered.', ''),
    ...arrayOf(content).map(blockView),
    structuredContent === undefined
      ? null
      : disclosure('structuredContent', [preformatted(pretty(structuredContent), 'structuredContent')]),
  ]
}

function blockView(block: unknown): HTMLElement {
  const isText = isJsonObject(block) && block.type === 'text'
  return isText ? preformatted(textOr(block.text, ''), 'Text') : preformatted(pretty(block), 'Content block')
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2)
