import { type AppConfig, defineApp } from 'acmcp'

export const config: AppConfig = defineApp({
  responders: { 'application/problem+json': (value) => JSON.stringify(value) },
  scopes: { 'things:read': 'See things', 'things:write': { text: 'Change things', implies: ['things:read'] } },
})
