/** A command that runs at the root of a workspace, whose applications lie in folders of their own. */
import { type Diagnostic, noControllers } from '../diagnostics/source-diagnostics.ts'
import type { Host } from './program/host.ts'

/** What to say in place of everything that an application lacks; null = there is one, or this is no root of a workspace. */
export function applicationElsewhere(host: Host): Diagnostic | null {
  if (host.directoryExists(`${host.root}/app`) || !isWorkspaceRoot(host)) return null
  return {
    ...noControllers({ file: 'app', line: 1, column: 1 }),
    message: 'there is no application in this folder, which is the root of a workspace',
    hint: 'Run it in the folder of the application: `npm exec -w apps/api -- acmcp build`, `pnpm --filter api exec acmcp build`.',
  }
}

function isWorkspaceRoot(host: Host): boolean {
  if (host.fileExists(`${host.root}/pnpm-workspace.yaml`)) return true
  try {
    const manifest: unknown = JSON.parse(host.readFile(`${host.root}/package.json`) ?? 'null')
    return typeof manifest === 'object' && manifest !== null && 'workspaces' in manifest
  } catch {
    return false // its reader reports the error
  }
}
