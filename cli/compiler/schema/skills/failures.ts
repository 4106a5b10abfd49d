/** What a failed call of a toolbox means, and what to do: by status, with what its tools and handlers say of it. */
import type { SkillPart } from '../../../../runtime/contract/mcp.ts'
import type { Handler } from '../../ir/steps.ts'
import { type Line, sectionParts, type ToolAction } from './parts.ts'

/** Statuses for which there is one thing to do. */
const advice: readonly { readonly statuses: readonly number[]; readonly what: string }[] = [
  {
    statuses: [400, 422],
    what: 'An argument is missing or wrong; the answer names it and what it must be. Correct that one and call again. The same call fails the same way.',
  },
  {
    statuses: [401],
    what: 'The client is not signed in any more. No argument helps: tell the user that they must sign in again.',
  },
  {
    statuses: [403],
    what: 'The user, or this client, may not do it. Do not try other ways to the same end: tell the user what was refused.',
  },
  {
    statuses: [404, 410],
    what: 'What the arguments name is not there, or not for this user. Look it up again with a tool that reads; do not guess.',
  },
  {
    statuses: [409, 412],
    what: 'It is not in the state that the call needs. Read it again, and decide by what it is now.',
  },
  { statuses: [413], what: 'It is too much for one call. Send less, or ask for less.' },
  { statuses: [429], what: 'There were too many calls. Wait as long as the answer says, then go on.' },
]

const otherRefusal =
  'The call cannot succeed as it is. Read what the answer says, change the arguments by it, or tell the user.'

/** No mistake of who calls tools: the endpoint writes their requests. */
const ofRequests: ReadonlySet<number> = new Set([406, 415])

/** The pieces of `references/errors.md`. */
export function failuresOf(name: string, actions: readonly ToolAction[]): readonly SkillPart[] {
  const told = [...actions.flatMap(ownFailures), ...handledFailures(actions)].filter(
    ({ status }) => status >= 400 && status < 500 && !ofRequests.has(status),
  )
  const statuses = [...new Set(told.map(({ status }) => status))].sort((a, b) => a - b)
  const groups = new Map(
    statuses.map((one) => [groupOf(one), statuses.filter((each) => groupOf(each) === groupOf(one))]),
  )
  const head = `# Failed calls of ${name}\n\nA failed call answers an error that begins with its status.\n`
  return [
    { text: head },
    ...[...groups].flatMap(([first, group]) => {
      const lines = uniqueLines(told.filter(({ status }) => group.includes(status)).map(({ line }) => line))
      const what = advice.find(({ statuses: all }) => all.includes(first))?.what ?? otherRefusal
      const isListed = lines.some(({ text }) => text !== '')
      const end = `${isListed ? '\n' : ''}${what}\n`
      return sectionParts({ title: group.join(' and '), lead: '', lines, end })
    }),
    { text: anythingElse },
  ]
}

const anythingElse = `
## Anything else

Something broke that no argument mends. Call a tool that reads once more; before you repeat one that writes, look whether it was done. If it goes on, tell the user.
`

/** The first of those for which there is the same to do. */
const groupOf = (status: number): number =>
  advice.find(({ statuses }) => statuses.includes(status))?.statuses[0] ?? status

interface Failure {
  readonly status: number
  readonly line: Line
}

/** What `@throws` and `@limit` say. */
function ownFailures({ action, tool: { name } }: ToolAction): readonly Failure[] {
  const { limit } = action.options
  const most = limit === null || limit === false ? [] : [limit]
  return [
    ...action.errors.flatMap(({ status, doc }): readonly Failure[] =>
      status === 'default' ? [] : [{ status, line: { groups: [[name]], text: said(name, doc.summary) } }],
    ),
    ...most.map(({ calls, windowSeconds }): Failure => {
      const text = said(name, `${calls} calls in ${windowSeconds} seconds at most`)
      return { status: 429, line: { groups: [[name]], text } }
    }),
  ]
}

const said = (name: string, text: string): string => (text === '' ? '' : `- \`${name}\`: ${text}\n`)

/** The same for every route of a controller. What the shipped handlers say is no more than their status does, and is said where it
 *  can happen. */
function handledFailures(actions: readonly ToolAction[]): readonly Failure[] {
  const running = actions[0]?.action.handlers.filter(({ coveredBy }) => coveredBy === null) ?? []
  return running.flatMap((handler) =>
    handler.results.flatMap(({ status, doc }): readonly Failure[] => {
      if (status === 'default') return []
      if (!handler.owner.isShipped)
        return [{ status, line: { groups: [], text: handledLine(handler, doc.summary) } }]
      const able = actions.filter((one) => canAnswer(one, status))
      const groups = able.length === actions.length ? [] : able.map(({ tool }) => [tool.name])
      return able.length === 0 ? [] : [{ status, line: { groups, text: '' } }]
    }),
  )
}

/** Whether a status that any route could answer is to be expected of this tool. */
function canAnswer({ tool }: ToolAction, status: number): boolean {
  if (status === 400 || status === 422) return tool.arguments.length > 0
  if (status === 404) return tool.arguments.some(({ param }) => param.from === 'path')
  return status !== 409 || !tool.hints.readOnly
}

const handledLine = ({ error }: Handler, summary: string): string =>
  summary === '' ? '' : `- ${error.name}: ${summary}\n`

const uniqueLines = (lines: readonly Line[]): readonly Line[] => [
  ...new Map(lines.map((line) => [`${JSON.stringify(line.groups)} ${line.text}`, line])).values(),
]
