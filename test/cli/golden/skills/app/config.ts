import { defineApp } from 'acmcp'

export const config: object = defineApp({})
