/** The application's configuration: `app/config.ts` exports `config = defineApp({ … })`. Its shape is checked at boot.
 *  All settings: templates/docs/reference-settings.md. */
// Source: rules.md, Names.
import type { McpSettings } from './settings/mcp-table.ts'
import type { Configured } from './settings/setting.ts'
import type { PagesSettings, Settings } from './settings/table.ts'

/** The settings of the core; `AppConfig` has those of capabilities too. */
export interface CoreConfig extends Configured<Settings> {}
/** Settings of the MCP endpoint. See templates/docs/mcp.md. */
export interface McpConfig extends Configured<McpSettings> {}
/** Which pages a browser gets. */
export interface PagesConfig extends Configured<PagesSettings> {}

/** `Written`, with `never` for each name that `Settings` does not have. What a type with a required method holds beside it is
 *  the application's own (a migration). */
export type Exact<Written, Settings> = [Settings] extends [never]
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
