/** `@mcp task`: a call of the tool may become a task, or must. */
import type { TaskWords } from '../../../runtime/capabilities/tasks/task-record.ts'
import type { Feature } from '../../compiler/feature.ts'
import { nearestOf } from '../../compiler/feature.ts'
import { refuseWord } from '../../compiler/read/jsdoc/tag.ts'
import { once } from '../../compiler/read/language.ts'
import { taskWithoutTool } from './diagnostics.ts'

type Said = NonNullable<TaskWords['task']>

const words: ReadonlyMap<string, Said> = new Map([
  ['task', 'optional'],
  ['task=required', 'required'], // for what no client can wait for
])

export const taskFeature: Feature<Said, Said> = {
  tag: 'mcp task',
  word: once('[=required]', ['tool']),
  place: 'call',
  read: (source, tag, { written }) => {
    const said = words.get(written)
    if (said !== undefined) return said
    refuseWord(source, tag, written, [`cannot read '${written}'`, 'Write @mcp task or @mcp task=required.'])
    return null
  },
  link: nearestOf,
  tool: (task) => ({ words: { task }, runsAgain: true }),
  withoutTool: taskWithoutTool,
}
