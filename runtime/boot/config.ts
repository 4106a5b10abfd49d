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

/** Declares the application's configuration: TypeScript checks the types, the build and the boot refuse settings that do
 *  not exist. The result's type keeps the names, which the compiler reads. */
export function defineApp<const C extends AppConfig>(config: C): C {
  return config
}
