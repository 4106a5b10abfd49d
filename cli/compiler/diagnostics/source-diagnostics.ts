/** Mistakes in the application, as data. One function a diagnostic. Imports nothing of ours but the model's `At`. */
import type { At } from '../ir/schema.ts'

export interface Diagnostic {
  /** `ACM101` … */
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly hint: string
  readonly at: At
}

export type MessageAndHint = readonly [message: string, hint: string]

/** A diagnostic that stops the build. */
export const error = (code: string, at: At, [message, hint]: MessageAndHint): Diagnostic => ({
  code,
  severity: 'error',
  message,
  hint,
  at,
})
/** A diagnostic that does not. */
export const warning = (code: string, at: At, [message, hint]: MessageAndHint): Diagnostic => ({
  ...error(code, at, [message, hint]),
  severity: 'warning',
})
/** A place as a text. */
export const place = (at: At): string => `${at.file}:${at.line}`
/** With its column: two places have one text only where they are one. */
export const exactPlace = (at: At): string => `${place(at)}:${at.column}`
/** The first of a list, and how many there are beside it. */
export const firstAndMore = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`

export const noControllers = (at: At): Diagnostic =>
  error('ACM101', at, [
    'no controllers found',
    'Export a class that extends Controller from a file under app/controllers/, or let `acmcp init` make an application.',
  ])

export const syntaxError = (at: At, message: string): Diagnostic =>
  error('ACM102', at, [message, 'Correct the TypeScript syntax; nothing else in this file was checked.'])

export const configMissing = (at: At): Diagnostic =>
  error('ACM103', at, [
    'app/config.ts does not exist',
    "Create it with: import { defineApp } from 'acmcp'; export const config = defineApp({})",
  ])

export const classNotExported = (at: At, name: string): Diagnostic =>
  error('ACM104', at, [
    `the controller ${name} is not exported by its name`,
    'Write `export class`, neither `default` nor renamed.',
  ])

export const notAController = (at: At, name: string): Diagnostic =>
  error('ACM105', at, [
    `${name} has tags of a controller but does not extend Controller`,
    'Extend Controller from acmcp, directly or through an abstract class, or remove the tags.',
  ])

export const baseUnknown = (at: At, name: string): Diagnostic =>
  error('ACM106', at, [
    `the base class of ${name} cannot be followed`,
    'Extend a named class; mixins and computed base classes are not read.',
  ])

export const packageMissing = (at: At): Diagnostic =>
  error('ACM107', at, [`the package 'acmcp' cannot be resolved from app/`, 'Install it: npm install acmcp'])

export const secondCopy = (at: At, own: string, other: string): Diagnostic =>
  error('ACM326', at, [
    `acmcp is installed twice: the application has ${own}, this package has ${other}, and a controller of one is none for the other`,
    'Name acmcp in the peerDependencies of this package, in the same version, not in its dependencies, and install again.',
  ])

export const settingsUnreadable = (at: At, message: string): Diagnostic =>
  warning('ACM108', at, [message, 'What cannot be read is left out; the rest of tsconfig.json is used.'])

export const unknownTag = (at: At, written: string, meant: string): Diagnostic =>
  error('ACM110', at, [`unknown tag @${written}`, `Did you mean @${meant}?`])

export const textAfterTag = (at: At, tag: string): Diagnostic =>
  error('ACM111', at, [
    `text after the line of @${tag} would be lost`,
    'Move the text above the first tag: one line is one tag.',
  ])

export const tagInWrongPlace = (at: At, tag: string, why: string, where: string | null): Diagnostic =>
  error('ACM112', at, [
    `@${tag} ${why} has no effect`,
    where === null
      ? 'Move it to the last doc comment before the declaration, which must begin on a line of its own.'
      : `Remove it, or move it: it may stand on ${where}.`,
  ])

export const badTag = (at: At, tag: string, why: string, hint: string): Diagnostic =>
  error('ACM113', at, [`@${tag}: ${why}`, hint])

export const badStatus = (at: At, tag: string, written: string): Diagnostic =>
  error('ACM115', at, [`@${tag}: '${written}' is not a status`, 'Write a number from 200 to 599.'])

export const unresolvedException = (at: At, tag: string, written: string, meant: string): Diagnostic =>
  error('ACM116', at, [
    `@${tag}: cannot find the class '${written}'`,
    `Import the class in this file.${meant}`,
  ])

export const symbolNotExported = (at: At, name: string): Diagnostic =>
  error('ACM117', at, [`the class ${name} is not exported`, 'The generated table imports it: export it.'])

export const notPublic = (at: At, name: string): Diagnostic =>
  error('ACM118', at, [
    `${name} is tagged but is no public method`,
    'Write it as a method, neither private, protected nor static, or remove the tags.',
  ])

export const floatingRender = (at: At, call: string): Diagnostic =>
  error('ACM119', at, [`the result of ${call}() is not used`, `Write: return ${call}(…)`])

export const unsupportedType = (at: At, path: string, type: string, why: string): Diagnostic =>
  error('ACM120', at, [`${path}: the type ${type} ${why}`, 'Use a type that has a JSON form.'])

export const schemaNameTaken = (at: At, name: string, first: At): Diagnostic =>
  error('ACM121', at, [
    `the type name ${name} is already used by another type at ${place(first)}`,
    'Rename one of the two.',
  ])

export const unreadableParameter = (at: At, why: string): Diagnostic =>
  error('ACM122', at, [why, 'Give every value its own named parameter.'])

export const wireNameInvalid = (at: At, why: string): Diagnostic =>
  error('ACM163', at, [
    `this name is none: ${why}`,
    "Write one name as a literal, such as Header<'X-Clinic'>; those of headers and cookies have letters from A to Z, digits and - alone.",
  ])

export const aroundWithoutNext = (at: At, name: string): Diagnostic =>
  error('ACM123', at, [
    `the around filter ${name} does not take next`,
    'Make `next: () => Promise<void>` its first parameter.',
  ])

export const handlerArgumentRequired = (at: At, name: string): Diagnostic =>
  error('ACM124', at, [
    `the handler's extra argument ${name} is required`,
    'Make it optional: a request that failed may not have it.',
  ])

export const handlerWithoutError = (at: At, name: string): Diagnostic =>
  error('ACM125', at, [`the handler ${name} does not take the error`, 'Make the error its first parameter.'])

export const taggedTwice = (at: At, name: string, first: string): Diagnostic =>
  error('ACM126', at, [
    `${name} already has tags in ${first}`,
    'An override without tags runs in place of the inherited method: remove the tags here, or rename the method.',
  ])

export const nameOfController = (at: At, name: string): Diagnostic =>
  error('ACM154', at, [`every controller has a member ${name} already`, 'Rename the method.'])

export const rolesMixed = (at: At, name: string): Diagnostic =>
  error('ACM127', at, [
    `${name} is more than one of route, filter and exception handler`,
    'Split it into one method each.',
  ])

export const unknownParameter = (at: At, name: string, meant: string): Diagnostic =>
  error('ACM128', at, [`@param: there is no parameter '${name}'`, `Write the parameter's own name.${meant}`])

export const websocketWithoutSocket = (at: At, name: string): Diagnostic =>
  error('ACM130', at, [
    `the WebSocket route ${name} does not take the socket`,
    'Make the socket its first parameter; the others are read from the request.',
  ])

export const websocketMixed = (at: At, name: string): Diagnostic =>
  error('ACM131', at, [
    `${name} serves WebSockets and plain requests`,
    'Split it into two methods: the first parameter of a WebSocket route is the socket.',
  ])

export const errorParameterUnfit = (at: At, taken: string, name: string): Diagnostic =>
  error('ACM132', at, [
    `the handler takes ${taken}, which ${name} is not`,
    `Type the first parameter as ${name}, a base class of it, or a union with one of them.`,
  ])

export const genericWithoutProperty = (at: At, written: string): Diagnostic =>
  error('ACM133', at, [
    `${written}: no readonly property of the class has its type parameter as type`,
    'Type arguments do not exist at run time: declare such a property, or handle the class without argument.',
  ])

export const typeArgumentNotLiteral = (at: At, written: string): Diagnostic =>
  error('ACM134', at, [
    `${written}: the type argument is not one literal`,
    'Write one literal, such as ApiError<404>, and a tag of its own for each value.',
  ])

export const statusNotTellable = (at: At, written: string): Diagnostic =>
  error('ACM135', at, [
    `@returns: nothing tells at run time that a value ${written === '' ? 'has this status' : `is ${written}`}`,
    'With several statuses each type but one must be an exported class, and that one is told without its type: @returns 200 text.',
  ])

export const badConstraint = (at: At, tag: string, written: string): Diagnostic =>
  error('ACM136', at, [
    `@${tag}: '${written}' is not a value of it`,
    'Write a number for a bound, a whole number for a length, a regular expression for a pattern.',
  ])

export const constraintUnfit = (at: At, tag: string): Diagnostic =>
  error('ACM137', at, [
    `@${tag} says nothing about a value of this type`,
    'Numbers have bounds, texts have lengths, patterns and formats, lists have counts.',
  ])

export const unresolvedType = (at: At, tag: string, written: string): Diagnostic =>
  error('ACM138', at, [`@${tag}: cannot find the type '${written}'`, 'Import the type in this file.'])

export const overloaded = (at: At, name: string): Diagnostic =>
  error('ACM139', at, [
    `${name} has several signatures, and a request does not say which is meant`,
    'Write one signature, with unions where the values differ.',
  ])

export const instanceParameter = (at: At, path: string, name: string): Diagnostic =>
  error('ACM141', at, [
    `${path}: JSON cannot make an instance of ${name}, which has more than public fields`,
    'Take an interface, or a class without methods, accessors and private members; an answer may be of this class.',
  ])

export const schemaFile = (at: At, path: string): Diagnostic =>
  error('ACM142', at, [
    `@schema: acmcp reads no JSON Schema files any more, and nothing would judge values by '${path}'`,
    'Write the type with its tags, or Checked<typeof schema>: the page `types` makes a schema of a JSON Schema file.',
  ])

export const typeNotFound = (at: At, path: string, name: string, more: string): Diagnostic =>
  error('ACM144', at, [
    `${path}: cannot find ${name === 'any' ? 'the type' : `the type '${name}'`}`,
    `Correct the name, import the type, or install the package that it comes from.${more}`,
  ])

export const anyType = (at: At, path: string): Diagnostic =>
  error('ACM145', at, [
    `${path}: any says nothing about the value`,
    'Write its type, or `unknown` for any JSON.',
  ])

export const baseNotFound = (at: At, name: string, base: string, meant: string): Diagnostic =>
  error('ACM146', at, [
    `cannot find ${base}, which ${name} extends`,
    `Correct the name or the path of its import, or install the package that it comes from.${meant}`,
  ])

export const baseIsCircular = (at: At, name: string): Diagnostic =>
  error('ACM147', at, [`${name} extends itself`, 'Extend Controller, directly or through an abstract class.'])

export const controllerUnused = (at: At, name: string, why: string): Diagnostic =>
  error('ACM148', at, [
    `${name} is no controller: it ${why}`,
    'Write `export class` at the top level of a file under app/controllers/, or remove the tags.',
  ])

export const returnsOther = (at: At, type: string): Diagnostic =>
  error('ACM149', at, [
    `@returns: the method does not return ${type}`,
    'Write a type that its return type has, or add it to the return type.',
  ])

export const tagUnread = (at: At, tag: string, name: string, meant: string): Diagnostic =>
  warning('ACM150', at, [
    `@${tag}: nobody reads the tags of ${name}, which is no controller`,
    `Did you mean @${meant}? Export a class that extends Controller from a file under app/controllers/.`,
  ])

export const fileUnread = (at: At, tag: string): Diagnostic =>
  warning('ACM151', at, [`@${tag}: nobody reads this file`, 'Controllers stand in files named .ts or .mts.'])

export const exportedElsewise = (at: At, name: string, user: At): Diagnostic =>
  error('ACM153', at, [
    `the class ${name} is not exported by its name`,
    `Write \`export class\`, neither \`default\` nor renamed, and import it so: ${place(user)} needs it.`,
  ])

export const typeTooLarge = (at: At, path: string, type: string, why: string): Diagnostic =>
  error('ACM160', at, [
    `${path}: the type '${type}' ${why}`,
    'Give what repeats a type or interface whose arguments do not grow, or name its parts.',
  ])
