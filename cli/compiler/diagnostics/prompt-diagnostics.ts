/** Mistakes in prompts (`@mcp prompt`), resources (`@mcp resource`) and completions (`@complete`). One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error } from './source-diagnostics.ts'

export const noMessages = (at: At, name: string): Diagnostic =>
  error('ACM260', at, [
    `the prompt ${name} does not return messages`,
    'Return a text, or PromptMessage[] of acmcp: each with a role and one content.',
  ])

export const offerTextMissing = (at: At, kind: 'prompt' | 'resource', name: string): Diagnostic =>
  error('ACM271', at, [
    `the ${kind} ${name} has no description: users cannot know what it is for`,
    'Write what it is for above the first tag.',
  ])

export const noTexts = (at: At, name: string): Diagnostic =>
  error('ACM261', at, [`${name} completes an argument, and does not return texts`, 'Return string[].'])

export const noTextArgument = (at: At, name: string, argument: string): Diagnostic =>
  error('ACM262', at, [
    `the argument ${argument} of ${name} cannot be written as a text`,
    'Clients send the arguments of prompts and resources as texts: take a text, a number, a date, an enum or a list of them.',
  ])

export const uriNamesNoArgument = (at: At, name: string, variable: string, meant: string): Diagnostic =>
  error('ACM263', at, [
    `the address of the resource ${name} names {${variable}}, and the route has no such argument`,
    `Write an argument of the method in braces.${meant}`,
  ])

export const uriLacksArgument = (at: At, name: string, argument: string): Diagnostic =>
  error('ACM264', at, [
    `the route needs the argument ${argument}, and the address of the resource ${name} does not name it`,
    `Write {${argument}} in uri=…, or give the parameter a default.`,
  ])

export const uriTaken = (at: At, uri: string, other: string): Diagnostic =>
  error('ACM265', at, [`the address ${uri} is that of ${other} too`, 'Change the uri=… of one of the two.'])

export const completesNothing = (at: At, of: string, meant: string): Diagnostic =>
  error('ACM266', at, [
    `@complete: there is no prompt or resource '${of}'`,
    `Write its name, such as trips_plan, or a method of this class with @mcp prompt or @mcp resource.${meant}`,
  ])

export const completesNoArgument = (at: At, argument: string, of: string, meant: string): Diagnostic =>
  error('ACM267', at, [
    `@complete: ${of} has no argument ${argument}`,
    `Write the name of an argument that clients fill in.${meant}`,
  ])

export const completedTwice = (at: At, argument: string, of: string, other: string): Diagnostic =>
  error('ACM268', at, [
    `@complete: the argument ${argument} of ${of} is completed by ${other} too`,
    'Remove one of the two.',
  ])

export const completesBlindly = (at: At, name: string, argument: string): Diagnostic =>
  error('ACM269', at, [
    `${name} does not take ${argument}, which it completes`,
    `Add a parameter ${argument}: it is what the user has written so far.`,
  ])

export const completionNeeds = (at: At, name: string, parameter: string): Diagnostic =>
  error('ACM270', at, [
    `the completion ${name} needs ${parameter}, which the user may not have filled in yet`,
    'Make the parameter optional.',
  ])
