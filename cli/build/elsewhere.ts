/** Detects the root of a workspace, where `--watch` has nothing to watch. */
import { applicationElsewhere } from '../compiler/read/workspace-root.ts'
import { diskHost } from './disk.ts'

/** Whether the applications lie in folders below `cwd`, the root of a workspace: there a build says so and ends, watching or not. */
export const isElsewhere = (cwd: string): boolean => applicationElsewhere(diskHost(cwd)) !== null
