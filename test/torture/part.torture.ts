/** `node dist/test/torture/part.torture.js [edits] [seed]`: random edits of an application; what a build that reads only
 *  what changed comes to must be what a full build comes to. */
import { walkParts } from '../cli/random/part-walk.ts'

const [edits = 500, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const { builds, parts, failed, wrong } = walkParts(edits, seed)
process.stdout.write(
  `part: seed ${seed}, ${builds} builds, ${parts} of a part, ${failed} with mistakes, ${wrong.length} wrong ${wrong.join(', ')}\n`,
)
process.exitCode = wrong.length === 0 && parts > 0 ? 0 : 1
