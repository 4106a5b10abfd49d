/** Tags that are unknown, that do nothing where they stand, or that name a file that is not of use. One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, warning } from './source-diagnostics.ts'

export const strangeTag = (at: At, written: string, meant: string): Diagnostic =>
  warning('ACM170', at, [
    `@${written} is no tag of acmcp, JSDoc or TSDoc: nobody reads it`,
    `Remove it, or write it as text above the tags.${meant}`,
  ])

export const idleTag = (at: At, written: string, name: string): Diagnostic =>
  warning('ACM171', at, [
    `@${written} changes nothing: ${name} is a route, and whoever reaches the server may ask for it`,
    'Remove it. A filter decides who may call a route; @mcp hide keeps it from models.',
  ])

export const nestedQuantifiers = (at: At, written: string): Diagnostic =>
  warning('ACM174', at, [
    `${written}: what repeats may match in several ways, so that some 30 characters of a stranger take seconds`,
    'Let each repeat begin with a character of its own, as in (-[a-z]+)*, or give the text a maxLength.',
  ])

export const tagNotInherited = (at: At, tag: string, name: string): Diagnostic =>
  warning('ACM140', at, [
    `${tag} on the abstract class ${name} has no effect`,
    'It is not inherited: write it on each class that is to have it.',
  ])

export const tagSaysNothing = (at: At, tag: string, place: string, where: string): Diagnostic =>
  warning('ACM155', at, [
    `${tag} ${place} is in no document and changes nothing`,
    `It may stand on ${where}; for readers of the source write it as text above the tags.`,
  ])

export const controllerWithoutRoutes = (at: At, name: string): Diagnostic =>
  warning('ACM156', at, [
    `the controller ${name} serves nothing: none of its methods is a route, a prompt or a completion`,
    'Tag a method, such as @get /path in its doc comment (decorators are not read), or make the class abstract.',
  ])

export const decoratorUnread = (at: At, decorator: string, name: string): Diagnostic =>
  warning('ACM157', at, [
    `@${decorator} of ${name} is a decorator, and nobody reads it`,
    'Write the tag in the doc comment, such as @get /path, and let the class extend Controller of acmcp.',
  ])
