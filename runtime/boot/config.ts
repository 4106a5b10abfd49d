/** The application's configuration: `app/config.ts` exports `config = defineApp({ … })`. Its shape is checked at boot.
 *  All settings: templates/docs/reference-settings.md. */
// Source: rules.md, Names.
import type { McpSettings } from './settings/mcp-table.ts'
import type { Configured } from './settings/setting.ts'
import type { ApprovalSettings, PagesSettings, Settings } from './settings/table.ts'

export interface AppConfig extends Configured<Settings> {}
/** Settings of the MCP endpoint. See templates/docs/mcp.md. */
export interface McpConfig extends Configured<McpSettings> {}
/** How calls are approved that a person must approve first. See templates/docs/approval.md. */
export interface ApprovalConfig extends Configured<ApprovalSettings> {}
/** Which pages a browser gets. */
export interface PagesConfig extends Configured<PagesSettings> {}

/** `Written`, with `never` for each name that `Settings` does not have. What a type with a required method holds beside it is
 *  the application's own (a migration). */
type Exact<Written, Settings> = [Settings] extends [never]
  ? never
  : unknown extends Settings
    ? Written
    : Written extends (...args: never) => unknown
      ? Written
      : Written extends readonly unknown[]
        ? { readonly [Place in keyof Written]: Exact<Written[Place], Item<Settings>> }
        : Written extends object
          ? { readonly [Name in keyof Written]: Exact<Written[Name], Under<Settings, Name>> }
          : Written
type Item<Settings> = Settings extends readonly (infer Each)[] ? Each : never
/** What may stand under `Name`. A union allows what one of its members allows. */
type Under<Settings, Name> = Settings extends object
  ? HasMethods<Settings> extends true
    ? unknown
    : Name extends keyof Settings
      ? Settings[Name]
      : never
  : never
type HasMethods<Settings> = true extends {
  readonly [Name in keyof Settings]-?: Pick<Settings, Name> extends Record<Name, (...args: never) => unknown>
    ? true
    : false
}[keyof Settings]
  ? true
  : false

/** Declares the application's configuration: TypeScript checks the types and the names, and the boot refuses settings that do
 *  not exist. The result's type keeps the names, which the compiler reads. */
export function defineApp<const C extends AppConfig>(config: C & Exact<C, AppConfig>): C {
  return config
}
