import { ApplicationController, type WebSocket } from 'acmcp'

/**
 * A word of the language.
 *
 * @base /class
 */
export class Class extends ApplicationController {
  /**
   * So is its method. It ends no comment: *\/ and has `quotes`.
   *
   * @delete /
   */
  delete(): void {}

  /**
   * Talks.
   *
   * @websocket /talk
   */
  talk(socket: WebSocket): void {
    socket.close()
  }

  /**
   * Is not waited for.
   *
   * @get /then
   * @scope things:write
   */
  then(): string {
    return 'then'
  }
}
