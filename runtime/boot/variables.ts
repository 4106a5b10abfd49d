/** Every environment variable that is read, with what holds where it is absent or empty; null = nothing, or what another one says. */
import { defaultPool } from '../store/pool.ts'

class VariableDefaults {
  readonly NODE_ENV = 'development'
  readonly BASE_URL = null
  /** Below the working directory. */
  readonly DATABASE_URL = 'sqlite:data/acmcp.db'
  readonly DEV_LOGIN = '0'
  readonly LOG_LEVEL = 'info'
  readonly SHUTDOWN_DELAY_SECONDS = '0'
  readonly DATABASE_POOL: number = defaultPool.size
  readonly DATABASE_CONNECT_SECONDS: number = defaultPool.connectSeconds
  readonly DATABASE_IDLE_SECONDS: number = defaultPool.idleSeconds
  readonly DATABASE_STATEMENT_SECONDS: number = defaultPool.statementSeconds
  readonly METRICS_PORT = null
  readonly METRICS_HOST = '127.0.0.1'
  readonly JWT_SECRET = null
  readonly SESSION_SECRET = null
  readonly JWT_PRIVATE_KEYS = null
  readonly METRICS_TOKEN = null
  readonly JWT_SECRET_FILE = null
  readonly SESSION_SECRET_FILE = null
  readonly JWT_PRIVATE_KEYS_FILE = null
  readonly METRICS_TOKEN_FILE = null
  readonly PORT = '3000'
  /** In production every address of the machine. */
  readonly HOST = '127.0.0.1'
}

export type VariableName = keyof VariableDefaults

export const variableDefaults: VariableDefaults = new VariableDefaults()
