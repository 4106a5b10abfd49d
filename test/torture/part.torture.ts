/** `node dist/test/torture/part.torture.js [edits] [seed]`: random edits of an application; what a build that reads only
 *  what changed comes to must be what a full build comes to. */
import { walkParts } from '../cli/random/part-walk.ts'
import { plain, recursiveEdits } from '../cli/random/recursive-changes.ts'
import { scopedApplication, scopeEdits } from '../cli/random/scope-changes.ts'

const [edits = 500, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const grounds = {
  zoo: undefined,
  recursive: { start: plain, edits: recursiveEdits },
  scopes: { start: scopedApplication, edits: scopeEdits },
}
for (const [name, ground] of Object.entries(grounds)) {
  const { builds, parts, failed, wrong } = walkParts(edits, seed, ground)
  process.stdout.write(
    `part (${name}): seed ${seed}, ${builds} builds, ${parts} of a part, ${failed} with mistakes, ${wrong.length} wrong ${wrong.join(', ')}\n`,
  )
  if (wrong.length > 0 || parts === 0) process.exitCode = 1
}
