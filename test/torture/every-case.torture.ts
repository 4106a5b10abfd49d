/** The tables of which `npm test` takes a part, whole: every entrance, era, capability, credential, decision and retry of approvals, and
 *  every repeated call; every credential at every entrance of every route. Run: node dist/test/torture/every-case.torture.js. */
import { spawnSync } from 'node:child_process'

for (const suite of ['approval/table/table', 'idempotency/table/table', 'flow/permission/decisions']) {
  const file = `dist/test/${suite}.test.js`
  const env = { ...process.env, ACMCP_EVERY_CASE: '1', TAP_TIMEOUT: '0' }
  const { status } = spawnSync(process.execPath, [file], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) process.exitCode = 1
}
