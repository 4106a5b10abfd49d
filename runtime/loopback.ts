/** This machine's own names, and which `Host` a server answers that is published under one of them. */

/** As a URL writes them. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether `host`, as `HOST` gives it, lets only this machine in. */
export function isLoopbackHost(host: string): boolean {
  return host === '::1' || loopbackNames.includes(host)
}

/** Whether the host of `url` is this machine. Throws for what is no URL. */
export function isLoopbackUrl(url: string): boolean {
  return loopbackNames.includes(new URL(url).hostname)
}

/** The names under which a server at `baseUrl` may be asked; null = any. On loopback another name was rebound to it, or
 *  comes through a tunnel; elsewhere proxies rewrite it. Source: rules.md, Environment. */
export function ownHostsOf(baseUrl: string): readonly string[] | null {
  return isLoopbackUrl(baseUrl) ? loopbackNames : null
}

/** The addresses of a server at `baseUrl`, which has no trailing slash: on loopback one under each name. */
export function ownBaseUrlsOf(baseUrl: string): readonly string[] {
  const { hostname } = new URL(baseUrl)
  if (!loopbackNames.includes(hostname)) return [baseUrl]
  return loopbackNames.map((name) => baseUrl.replace(`//${hostname}`, `//${name}`))
}

/** What finds the one that a request was sent to, by its `Host`; else `baseUrl`. */
export function baseUrlByHost(baseUrl: string): (host: unknown) => string {
  const byHost = new Map(ownBaseUrlsOf(baseUrl).map((url) => [new URL(url).host, url]))
  return (host) => byHost.get(String(host).toLowerCase()) ?? baseUrl
}

/** What judges a `Host` header by `names` (lower case), whatever its port; null = every one will do. */
export function hostTest(names: readonly string[] | null): (host: unknown) => boolean {
  if (names === null) return () => true
  return (host) => names.includes(withoutPort(String(host)))
}

/** `authority` in lower case, as far as its port. */
export const withoutPort = (authority: string): string => authority.toLowerCase().replace(/:\d+$/, '')
