import {
  type AuthServerError,
  CommonResponse,
  type Conflict,
  ContentResponse,
  Controller,
  type Forbidden,
  type JsonParseError,
  type MissingError,
  type NotAcceptable,
  type NotFound,
  ParameterResponse,
  type Rendered,
  type Unauthorized,
  type UnsupportedMediaType,
  type ValueError,
} from 'acmcp'

/** The recommended exception handlers, inherited by every controller of the application. */
export abstract class Application extends Controller {
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
