import {
  type AuthServerError,
  type Conflict,
  type Forbidden,
  InputRequired,
  type JsonParseError,
  type MissingError,
  type NotAcceptable,
  type NotFound,
  type Unauthorized,
  type UnsupportedMediaType,
  type ValueError,
} from '../../errors.ts'
import { Controller, type Rendered } from './controller.ts'
import { CommonResponse, ContentResponse, InputResponse, ParameterResponse } from './error-responses.ts'
import { rescueFrom } from './rescue-from.ts'

/** The base class of most applications: every controller that extends it answers the framework's own errors and those of
 *  applications with the recommended statuses (templates/docs/errors.md). The build reads these tags from the package's
 *  declarations; a subclass overrides a method by its name, or extends Controller, which has no handlers. */
// Source: rules.md, Errors raised by the framework, and Exception handlers 12.
export abstract class ApplicationController extends Controller {
  /**
   * No responder matches the Accept header.
   *
   * @exception {NotAcceptable} 406
   */
  notAcceptable(error: NotAcceptable): ContentResponse {
    return new ContentResponse(error)
  }

  /**
   * No parser matches the Content-Type of the body.
   *
   * @exception {UnsupportedMediaType} 415
   */
  unsupportedMediaType(error: UnsupportedMediaType): ContentResponse {
    return new ContentResponse(error)
  }

  /**
   * A required parameter is missing.
   *
   * @exception {MissingError} 422
   */
  missing(error: MissingError): ParameterResponse {
    return new ParameterResponse(error)
  }

  /**
   * A parameter cannot be converted to its type.
   *
   * @exception {ValueError} 400
   */
  invalid(error: ValueError): ParameterResponse {
    return new ParameterResponse(error)
  }

  /**
   * The body is not valid JSON.
   *
   * @exception {JsonParseError} 400
   */
  malformed(error: JsonParseError): CommonResponse {
    return new CommonResponse(error, { backtrace: false })
  }

  /** Over HTTP there is no model to ask: 422 with the questions. Registered below, for what every route could raise and hardly
   *  one does is no part of every route's document. */
  inputRequired(error: InputRequired): Rendered {
    return this.render({ status: 422, json: new InputResponse(error) })
  }

  /**
   * The request is refused.
   *
   * @exception {Unauthorized} 401
   * @exception {Forbidden} 403
   * @exception {NotFound} 404
   * @exception {Conflict} 409
   */
  refused(error: Unauthorized | Forbidden | NotFound | Conflict): CommonResponse {
    return new CommonResponse(error, { backtrace: false })
  }

  /**
   * An OAuth error, with its own status.
   *
   * @exception {AuthServerError} default
   */
  oauth(error: AuthServerError): Rendered {
    const { status, error: code, description } = error
    return this.render({ status, json: { error: code, error_description: description } })
  }
}

rescueFrom(ApplicationController, InputRequired, 'inputRequired')
