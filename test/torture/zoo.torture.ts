/** `node dist/test/torture/zoo.torture.js [values] [seed]`: every type in every place, with so many values inside of what is published and
 *  so many outside, all of them sent by tool call, over HTTP and by the typed client. */
import { judgeZoo } from '../cli/zoo/zoo.ts'

const [values = 100, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
Error.stackTraceLimit = 0
const { types, cells, inside, outside, calls, wrong } = await judgeZoo({ values, calls: values, seed })
process.stdout.write(
  `zoo: seed ${seed}, ${types} types, ${cells} with their places, ${inside} values inside, ${outside} outside, ${calls} calls, ${wrong.length} wrong\n${wrong.join('\n')}\n`,
)
process.exitCode = wrong.length === 0 && inside > 0 ? 0 : 1
