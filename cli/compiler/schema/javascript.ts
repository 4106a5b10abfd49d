/** Literals and names of JavaScript, as printed code has them. */

/** A literal, safe in any source. */
export function quote(text: string): string {
  if (/^[ -&(-[\]-~]*$/.test(text)) return `'${text}'` // nothing to escape, as in nearly all
  const inner = JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")
  return `'${inner.replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029')}'`
}

/** A literal of any plain value. */
export const literalText = (value: string | number | boolean): string =>
  typeof value === 'string' ? quote(value) : String(value)

const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name)

/** A property name: bare when it is an identifier. */
export function propertyName(name: string): string {
  if (name === '__proto__') return `['__proto__']`
  return isIdentifier(name) ? name : quote(name)
}

/** A property of `object`, an expression. */
export const access = (object: string, name: string): string =>
  isIdentifier(name) ? `${object}.${name}` : `${object}[${quote(name)}]`
