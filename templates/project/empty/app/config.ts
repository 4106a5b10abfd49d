import { defineApp } from 'acmcp'

/** Every setting: `npx acmcp docs reference-settings --print`. */
export const config = defineApp({
  mcp: { path: '/mcp' },
  /** Clients that people have (Cursor, Perplexity, hosted Claude …) come in: `npx acmcp docs sign-in`, "The two profiles". */
  oauth: { profile: 'compatible' },
})
