/** `node dist/test/torture/unchanged.torture.js [edits] [seed]`: random edits of an application; a build that says that
 *  nothing changed is repeated without its state and must make the same bytes. */

import { walk } from '../cli/random/edits.ts'
import { folderOf } from '../cli/support/built-app.ts'
import { shop } from '../cli/support/memory-host.ts'

const [edits = 200, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const cleaning: (() => void)[] = []
const root = folderOf({ teardown: (clean) => void cleaning.push(clean) }, shop)
const { builds, skipped, wrong } = await walk(root, edits, seed)
for (const clean of cleaning) clean()
process.stdout.write(
  `unchanged: seed ${seed}, ${builds} builds, ${skipped} skipped, ${wrong.length} wrong ${wrong.join(', ')}\n`,
)
process.exitCode = wrong.length === 0 && skipped > 0 ? 0 : 1
