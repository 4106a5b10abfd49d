/** The options of each command, as commander hands them on. */
import type { ExampleName } from '../init/project-files.ts'

export interface BuildFlags {
  readonly check?: boolean
  readonly overwrite?: boolean
  readonly typecheck?: boolean
  readonly watch?: boolean
  readonly format: 'text' | 'json' | 'github'
  readonly openapi: '3.1' | '3.0'
  readonly strict?: boolean
  readonly client?: boolean
  readonly tools?: boolean
}

export interface ServeFlags {
  readonly migrate?: boolean
  readonly watch?: boolean
  /** How many; null = as many as there is parallelism. */
  readonly workers?: number | null
  readonly worker?: boolean
}

export interface InitFlags {
  readonly yes?: boolean
  readonly example?: ExampleName
  readonly empty?: boolean
}

/** Of `grants`: what connections have in common. */
export interface AccessFlags {
  readonly user?: string
  readonly client?: string
  readonly json?: boolean
}

/** Of what lists: how many at most. */
export interface ListFlags extends AccessFlags {
  readonly limit: number
}

/** Of `audit`. */
export interface AuditFlags extends ListFlags {
  readonly tool?: string
  readonly event?: string
  /** Milliseconds since the epoch. */
  readonly since?: number
  readonly follow?: boolean
}

export interface ExplainFlags {
  readonly json?: boolean
}

export interface DocsFlags {
  readonly print?: boolean
  readonly open?: boolean
  readonly port: number
}

export interface DoctorFlags {
  readonly token?: string
  readonly signIn?: boolean
  readonly ca?: string
  readonly timeout: number
  readonly json?: boolean
}

/** Of `call` and `token`: who calls, and how it is told. */
export interface CallerFlags {
  readonly as?: string
  readonly scope?: string
  readonly json?: boolean
}

export interface HealthFlags {
  readonly store?: boolean
}

export interface RoutesFlags {
  readonly json?: boolean
}

/** Of `prompts` and `resources`. */
export interface OffersFlags {
  readonly scope?: string
  readonly json?: boolean
}

export interface ToolsFlags {
  readonly scope?: string
  readonly tokens?: boolean
  readonly json?: boolean
}
