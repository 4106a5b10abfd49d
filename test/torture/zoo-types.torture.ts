/** `node dist/test/torture/zoo-types.torture.js [types] [seed] [values]`: random types in every place, compiled in one application, and
 *  judged as the zoo is. What the build refuses must be a union that no text tells apart. */
import { randomCells } from '../cli/zoo/random-cells.ts'
import { judgeZoo } from '../cli/zoo/zoo.ts'

const [types = 120, seed = Date.now() % 1_000_000, values = 40] = process.argv.slice(2).map(Number)
Error.stackTraceLimit = 0
const { cells, refused } = randomCells(types, seed)
const strange = refused.filter((text) => !/: (?:ACM239) /.test(text))
const { inside, outside, calls, wrong } = await judgeZoo({ values, calls: 6, seed }, cells)
const all = [...strange, ...wrong]
process.stdout.write(
  `random types: seed ${seed}, ${types} types, ${cells.length} places, ${refused.length} refused by the build, ${inside} values inside, ${outside} outside, ${calls} calls, ${all.length} wrong\n${all.join('\n')}\n`,
)
process.exitCode = all.length === 0 && inside > 0 ? 0 : 1
