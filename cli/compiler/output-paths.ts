/** The files that are written on request: each by the flag of `acmcp build` that asks for it. */
export const requestedFiles = { client: 'generated/client.ts', tools: 'generated/tools.ts' } as const

export type RequestedFile = keyof typeof requestedFiles
