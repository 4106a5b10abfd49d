import { defineApp } from 'acmcp'

/** Every setting: `npx acmcp docs reference-settings --print`. */
export const config = defineApp({ mcp: { path: '/mcp' } })
