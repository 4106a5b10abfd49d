/** Exception handlers that are registered by a call instead of a tag. See templates/docs/errors.md. */
// Source: rules.md, Exception handlers 9.
import type { AnyClass } from '../../contract/http.ts'
import { Controller } from './controller.ts'

type ClassOf<T> = abstract new (...args: never[]) => T

/** The names of the public methods of `C` that take an `E`. */
type MethodFor<C, E> = {
  [Name in keyof C]: C[Name] extends (error: E) => unknown ? Name : never
}[keyof C]

/** One registered handler. What it returns counts only when it is `Rendered`. */
export interface Rescue {
  readonly error: AnyClass
  call(controller: object, error: unknown): unknown
}

const registered = new Map<AnyClass, Rescue[]>()
/** Classes whose handlers a route has read: what comes later would be lost. */
const inUse = new WeakSet<AnyClass>()

/** Handles `error` and its subclasses, raised in routes and filters of `controller` and its subclasses, before the
 *  tagged handlers of that class. The handler must call `render`, `head` or `redirectTo`; what it returns otherwise is
 *  dropped, and a handler that sends nothing leaves the exception unhandled. Nothing is added to the OpenAPI document.
 *  Call it while modules load: throws once a route of the class is served, for a class that is handled twice, and for a
 *  method that does not exist. */
// Source: rules.md, Exception handlers 9.
export function rescueFrom<C extends Controller, E>(
  controller: ClassOf<C>,
  error: ClassOf<E>,
  handler: MethodFor<C, E> | ((error: E, controller: C) => unknown),
): void {
  const place = `rescueFrom(${controller.name}, ${error.name})`
  if (inUse.has(controller))
    throw new Error(`${place}: ${controller.name} is served already; call it while modules load`)
  if (!(controller.prototype instanceof Controller))
    throw new Error(`${place}: name a class of the application`)
  const known = registered.get(controller) ?? []
  if (known.some((rescue) => rescue.error === error)) throw new Error(`${place} was called before`)
  registered.set(controller, [...known, { error, call: callOf(place, controller, handler) }])
}

function callOf(place: string, controller: AnyClass, handler: unknown): Rescue['call'] {
  // the signature of rescueFrom says what the function takes
  if (typeof handler === 'function') return (instance, error) => handler.call(instance, error, instance)
  const name = String(handler)
  if (typeof controller.prototype[name] !== 'function')
    throw new Error(`${place}: there is no method ${name}`)
  // looked up on the instance: a subclass may override it
  return (instance, error) => Reflect.get(instance, name).call(instance, error)
}

/** The classes from the furthest ancestor below `Controller` to `controller` itself, each with its handlers in the order
 *  of registration. Further registrations for these classes are refused from now on. */
export function rescuesOf(controller: AnyClass): readonly (readonly Rescue[])[] {
  return ancestry(controller).map((anyClass) => {
    inUse.add(anyClass)
    return registered.get(anyClass) ?? []
  })
}

function ancestry(controller: AnyClass): AnyClass[] {
  const classes: AnyClass[] = []
  for (
    let anyClass = controller;
    anyClass !== Controller && anyClass !== Function.prototype && anyClass !== null;
  ) {
    classes.unshift(anyClass)
    anyClass = Object.getPrototypeOf(anyClass)
  }
  return classes
}
