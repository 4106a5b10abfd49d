/** Mistakes in what is said of a tool's answers: `@mcp brief` and `@mcp paging`. One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error, warning } from './source-diagnostics.ts'

export const badPaging = (at: At, why: string, meant: string): Diagnostic =>
  error('ACM305', at, [
    `@mcp paging ${why}`,
    `Write one of offset=, page= and cursor= with the name of an argument, and limit=argument or next=property.path beside it; or none.${meant}`,
  ])

export const pagesByNoArgument = (at: At, tool: string, argument: string, meant: string): Diagnostic =>
  error('ACM306', at, [
    `@mcp paging: ${tool} has no argument ${argument}`,
    `Write the name of an argument of the tool.${meant}`,
  ])

export const pagesByNoNumber = (at: At, word: string, argument: string): Diagnostic =>
  error('ACM307', at, [
    `@mcp paging: ${argument} is no number, and ${word} counts`,
    'Name an argument that is a number, or write cursor= for what the answer gives.',
  ])

export const pagesByNoProperty = (at: At, tool: string, path: string, meant: string): Diagnostic =>
  error('ACM308', at, [
    `@mcp paging: the answer of ${tool} has no ${path}`,
    `Write the property that holds what the cursor takes, with dots between names.${meant}`,
  ])

export const pagingUnused = (at: At, tool: string): Diagnostic =>
  warning('ACM309', at, [
    `@mcp paging changes nothing: ${tool} is not read-only, and no model is told to call it again`,
    'Write @mcp readOnly if it changes nothing, or remove the tag.',
  ])

export const badBrief = (at: At, why: string): Diagnostic =>
  error('ACM311', at, [
    `@mcp brief ${why}`,
    'Write the properties that are answered unless more is asked for, each once, such as @mcp brief id status.',
  ])

export const briefOfNothing = (at: At, tool: string): Diagnostic =>
  error('ACM312', at, [
    `@mcp brief: the answer of ${tool} has no properties`,
    'It is for objects, lists of objects, and pages of them, whose types say what they have: remove the tag.',
  ])

export const briefUnknown = (at: At, tool: string, name: string, meant: string): Diagnostic =>
  error('ACM313', at, [
    `@mcp brief: what ${tool} answers has no ${name}`,
    `Write properties of the answer, of the items of a list, or of those of a page.${meant}`,
  ])

export const briefSecret = (at: At, name: string): Diagnostic =>
  error('ACM314', at, [
    `@mcp brief: ${name} is @secret, and no tool answers it`,
    'Remove the name, or the tag @secret.',
  ])

export const briefOfAll = (at: At, tool: string): Diagnostic =>
  error('ACM315', at, [
    `@mcp brief names all that ${tool} answers, and leaves nothing out`,
    'Remove some of the names, or the tag.',
  ])

export const fieldsTaken = (at: At, tool: string, where: string): Diagnostic =>
  error('ACM316', at, [
    `@mcp brief gives ${tool} the argument fields, and it has one of that name (${where})`,
    "Give it another public name, such as Named<'columns', T>, or remove @mcp brief.",
  ])
