/** The compiler with its capabilities: the one place that hands their list to the passes. */
import { features } from '../capabilities/index.ts'
import { type Compilation, type CompileOptions, runPasses } from './passes.ts'
import type { Host } from './read/program/host.ts'

export type * from './passes.ts'

/** Compiles the application at `host.root`. Mistakes in it are diagnostics, never exceptions. */
export const compile = (host: Host, options: CompileOptions = {}): Compilation =>
  runPasses(host, features, options)
