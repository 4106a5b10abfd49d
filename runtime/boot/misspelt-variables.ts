/** Environment variables that look like one of ours and are not. */
import { variableDefaults } from './variables.ts'

/** Words, or a letter away from many: only with the same letters they are meant. */
const short = ['PORT', 'HOST']

const variableNames = Object.keys(variableDefaults)

/** A line for each variable that is not read, named like one that was not given. */
export function misspeltVariables(
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const present = Object.keys(variables).filter((name) => variables[name] !== undefined)
  const missing = variableNames.filter((name) => !present.includes(name))
  return present
    .filter((name) => !variableNames.includes(name))
    .flatMap((name) => {
      const meant = missing.find((text) => isMeant(name, text))
      return meant === undefined ? [] : [`${name} is read by nobody: did you mean ${meant}?`]
    })
}

function isMeant(name: string, text: string): boolean {
  if (name === `ACMCP_${text}`) return true
  const written = name.toUpperCase()
  if (short.includes(text)) return hasItsLetters(written, text)
  return isWithin(written, text, text.length > 9 ? 2 : 1)
}

/** Whether a letter is doubled, or two neighbours are swapped, or nothing but the case differs. */
function hasItsLetters(a: string, b: string): boolean {
  if (a.replace(/(.)\1/, '$1') === b) return true
  return [...b].some((_, at) => b.slice(0, at) + (b[at + 1] ?? '') + b[at] + b.slice(at + 2) === a)
}

/** Whether so many letters too many, missing, wrong, or swapped with their neighbour explain it. */
function isWithin(a: string, b: string, slips: number): boolean {
  if (a === b) return true
  if (slips === 0 || Math.abs(a.length - b.length) > slips) return false
  if (a[0] === b[0] && a !== '' && b !== '') return isWithin(a.slice(1), b.slice(1), slips)
  const rest: readonly (readonly [string, string])[] = [
    [a.slice(1), b],
    [a, b.slice(1)],
    [a.slice(1), b.slice(1)],
    ...(a[0] === b[1] && a[1] === b[0] ? [[a.slice(2), b.slice(2)] as const] : []),
  ]
  return rest.some(([left, right]) => isWithin(left, right, slips - 1))
}
