/** Mistakes in scopes: in their declaration (`defineApp({ scopes })`) and where routes ask for them (`@scope`). One function a
 *  diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error, firstAndMore, warning } from './source-diagnostics.ts'

export const scopeUnreadable = (at: At, what: string): Diagnostic =>
  error('ACM172', at, [
    `${what} cannot be read without running the application`,
    'Write literals, or constants that are literals.',
  ])

export const scopeUndeclarable = (at: At, name: string, why: 'reserved' | 'badName'): Diagnostic =>
  error('ACM228', at, [
    `the scope '${name}' cannot be declared: ${why === 'reserved' ? 'acmcp gives the word a meaning of its own' : 'it is no scope-token of RFC 6749, 3.3'}`,
    'Rename it, such as notes:read: visible ASCII without blanks, quotation marks and backslashes. `api` is what clients have that ask for nothing more, `none` and `unless=` are words of @scope.',
  ])

export const impliedScopeUnknown = (at: At, name: string, implied: string, meant: string): Diagnostic =>
  error('ACM229', at, [
    `the scope ${name} implies '${implied}', which is not declared`,
    `Declare it beside the others, or remove it.${meant}`,
  ])

export const scopeCycle = (at: At, name: string, implied: string): Diagnostic =>
  error('ACM230', at, [
    `the scope ${name} implies ${implied}, which implies ${name}`,
    'Remove one of the two: scopes that imply each other are one scope.',
  ])

export const sensitiveImplied = (at: At, name: string, implied: string): Diagnostic =>
  error('ACM231', at, [
    `the scope ${name} is not sensitive, and implies ${implied}, which is`,
    `Make ${name} sensitive too, or remove ${implied} here: what is sensitive must be asked for by name.`,
  ])

export const scopeUnknown = (at: At, by: string, name: string, meant: string): Diagnostic =>
  error('ACM232', at, [
    `${by}: the scope '${name}' is not declared`,
    `Write one that app/config.ts declares, or declare it there.${meant}`,
  ])

export const scopeUnused = (at: At, name: string): Diagnostic =>
  warning('ACM233', at, [
    `no route asks for the scope ${name}, nor for one that it implies`,
    'People would allow what changes nothing: remove it, or write @scope on the routes that are to need it.',
  ])

export const scopesNotDeclared = (at: At): Diagnostic =>
  error('ACM234', at, [
    '@scope: the application declares no scopes',
    "Declare them in app/config.ts, with words for people: defineApp({ scopes: { 'notes:read': 'see your notes' } })",
  ])

export const scopeOnProbe = (at: At, member: string, names: readonly string[], cure: string): Diagnostic =>
  error('ACM235', at, [
    `${member} is the route of mcp.authProbe, and asks for ${[...names].join(' ')}: who has any other scope could not even open the endpoint`,
    cure,
  ])

export const unlessWithoutFilter = (at: At, word: string, members: readonly string[]): Diagnostic =>
  error('ACM236', at, [
    `unless=${word} lets callers of ${firstAndMore(members)} past the guard, and no before or around filter asks who they are`,
    'Add a filter that checks them, or remove the word.',
  ])

export const scopeMissing = (at: At, member: string, why: string): Diagnostic =>
  warning('ACM237', at, [
    `${member} ${why}, and asks for no scope: every valid token may call it, the narrowest too`,
    'Write @scope with what it needs on the method or the class, or @scope none if that is meant.',
  ])

export const unlessIdle = (at: At, word: string, member: string, stricter: string): Diagnostic =>
  warning('ACM238', at, [
    `unless=${word} lets nobody past in ${member}: the @scope at ${stricter} does not say it`,
    'Write it on both, or remove it: what one tag refuses, another does not allow.',
  ])
