import {
  CommonResponse,
  type Conflict,
  Controller,
  type MissingError,
  ParameterResponse,
  type ValueError,
} from 'acmcp'

/** The exception handlers of the fixtures. */
export abstract class Application extends Controller {
  /**
   * A required argument is missing.
   *
   * @exception {MissingError} 422
   */
  missing(error: MissingError): ParameterResponse {
    return new ParameterResponse(error)
  }

  /**
   * An argument is wrong.
   *
   * @exception {ValueError} 400
   */
  wrong(error: ValueError): ParameterResponse {
    return new ParameterResponse(error)
  }

  /**
   * The fixture refuses.
   *
   * @exception {Conflict} 409
   */
  refused(error: Conflict): CommonResponse {
    return new CommonResponse(error, { backtrace: false })
  }
}
