/** `node dist/test/torture/random-types.torture.js [programs] [seed]`: random types, each a schema that agrees with TypeScript
 *  or an error at its place. */
import { judgeRandomTypes } from '../cli/random/random-types.ts'

const [programs = 60, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const { kept, refused, samples, slowestMs, wrong } = await judgeRandomTypes(programs, seed)
process.stdout.write(
  `types: seed ${seed}, ${kept} with a schema, ${refused} refused, ${samples} samples, slowest program ${slowestMs} ms, ${wrong.length} wrong\n${wrong.join('\n')}\n`,
)
process.exitCode = wrong.length === 0 && kept > 0 ? 0 : 1
