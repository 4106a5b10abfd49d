/** Sentences about what is missing, and the call that gets it. Source: decisions/mcp.md, Budgets and paging. */
import type { HttpResponse } from '../../contract/http.ts'
import type { AnsweredCall } from './answered-call.ts'
import { cutWords, type JsonCut } from './cut-json.ts'
import { argumentsOfAddress, nextLink, type PagedCall } from './next-address.ts'
import { type NextPage, nextPage, restOfPage } from './next-page.ts'
import { pageFacts } from './paging.ts'
import type { WholeAnswer } from './whole-answer.ts'

/** What follows a whole page; null where nothing follows, or nobody knows. `answer` is undefined where it is no JSON. */
export function nextPageWords(
  answer: unknown,
  headers: HttpResponse['headers'],
  call: AnsweredCall,
): string | null {
  const { paging, tool } = call.settings
  if (!tool.hints.readOnly) return null
  const paged = pagedCall(call)
  const link = nextLink({ headers })
  const linked = link === null ? null : argumentsOfAddress(link, paged)
  if (linked !== null) return callWords({ args: linked, kind: 'next' }, call)
  const next =
    paging === null || answer === undefined ? null : nextPage(paging, pageFacts(answer, paging), paged)
  return next && callWords(next, call)
}

const pagedCall = ({ settings: { tool }, args, url }: AnsweredCall): PagedCall => ({ tool, args, url })

function callWords(next: NextPage, call: AnsweredCall): string {
  const text = callText(next.args, call)
  switch (next.kind) {
    case 'next':
      return `For the next page call ${text}.`
    case 'maybe':
      return `There may be more: call ${text}.`
    case 'again':
      return `The next page begins after those left out: for pages that fit call ${text}.`
  }
}

/** What was cut, of how much, and the call for the rest. */
export function cutNote(
  {
    value,
    cuts,
    chars,
  }: { readonly value: unknown; readonly cuts: readonly JsonCut[]; readonly chars: number },
  whole: WholeAnswer | null,
  call: AnsweredCall,
): { readonly text: string; readonly isPaged: boolean } {
  const { paging } = call.settings
  const next = paging && restOfPage(paging, pageFacts(value, paging), call.args, cuts)
  const rest =
    next === null
      ? howElse(whole, call)
      : next.kind === 'next'
        ? restWords(next, call)
        : callWords(next, call)
  return {
    text: `${cutWords(cuts)} The whole answer has ${chars} characters. ${rest}`,
    isPaged: next !== null,
  }
}

const restWords = ({ args }: NextPage, call: AnsweredCall): string =>
  `For the rest call ${callText(args, call)}.`

/** Where no argument asks for further items. */
export function howElse(whole: WholeAnswer | null, { settings: { tool, paging } }: AnsweredCall): string {
  if (!tool.hints.readOnly) return 'Do not call it again for the rest: it may change something.'
  const pages = [paging?.page?.name, paging?.offset?.name, paging?.limit?.name, paging?.cursor]
  const others = tool.arguments.map(({ argument }) => argument).filter((name) => !pages.includes(name))
  const narrower = others.slice(0, maxNames).map((name) => `'${name}'`)
  const words = narrower.length === 0 ? [] : [`Call ${tool.name} again with narrower ${narrower.join(', ')}.`]
  if (whole !== null) words.push(whole.words)
  return words.length === 0 ? 'The rest cannot be asked for.' : words.join(' ')
}

const maxNames = 5
/** Above that the arguments are not repeated. */
const maxChars = 1000

/** As the client calls it: by its name, or through the proxy that it came by. */
function callText(
  args: AnsweredCall['args'],
  { settings: { tool }, calledAs, args: before }: AnsweredCall,
): string {
  const isLong = JSON.stringify(args).length > maxChars
  const repeated = isLong ? changed(args, before) : args
  const passed = calledAs === tool.name ? repeated : { name: tool.name, arguments: repeated }
  return `${calledAs} with ${isLong ? 'the same arguments and ' : ''}${JSON.stringify(passed)}`
}

const changed = (args: AnsweredCall['args'], before: AnsweredCall['args']): AnsweredCall['args'] =>
  Object.fromEntries(Object.entries(args).filter(([name, value]) => before[name] !== value))
