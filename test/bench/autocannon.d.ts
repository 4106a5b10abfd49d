/** The part of autocannon that the benches use; it brings no types. */
declare module 'autocannon' {
  export interface Options {
    readonly url: string
    readonly method: 'GET' | 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    /** Another body of an answer is a mismatch. */
    readonly expectBody?: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
  }
  export interface Result {
    readonly requests: { readonly total: number }
    readonly latency: { readonly p99: number }
    /** Seconds. */
    readonly duration: number
    readonly non2xx: number
    readonly errors: number
    readonly mismatches: number
  }
  const autocannon: (options: Options) => Promise<Result>
  // biome-ignore lint/style/noDefaultExport: the package has no other
  export default autocannon
}
