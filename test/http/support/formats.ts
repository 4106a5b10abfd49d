/** What an application without settings reads and writes, and how much of it. */
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import type { ResolvedConfig } from '../../../runtime/boot/resolved-config.ts'
import { createFormats, type Formats } from '../../../runtime/http/output/formats.ts'

export const plainConfig: ResolvedConfig = resolveConfig({})
export const plainFormats: Formats = createFormats(plainConfig)
