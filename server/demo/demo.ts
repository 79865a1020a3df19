import type { Board } from '../board/board.ts'
import { type Config, readConfig } from '../config/read.ts'
import type { Env } from '../config/settings.ts'
import type { Database } from '../db/database.ts'
import { demoKeys } from './keys.ts'
import { demoPeople } from './pages.ts'
import { startDemoProvider } from './provider.ts'
import { fileSamples } from './samples.ts'

const DOMAIN = 'example.com'
const CLIENT_ID = 'faultline-demo'
const PASSED = ['LOG_FORMAT', 'BOARD_FILE', 'PUSH_HOSTS']
const people = demoPeople(DOMAIN)
const emailOf = (id: string) => people.find(person => person.id === id)!.email
export const demoOwner = emailOf('owner')
export const demoColleague = emailOf('colleague')

export interface Demo {
  config: Config
  /** what the server runs with, for commands beside it */
  environment: Record<string, string>
  stop(): void
}

/** All that a server needs to run as the demo: keys, settings, and somebody to sign in with. */
export async function prepareDemo(env: Env, dataDir: string, port: number): Promise<Demo> {
  const keys = demoKeys(dataDir)
  const publicUrl = `http://localhost:${port}`
  const provider = await startDemoProvider({
    allowedDomain: DOMAIN,
    clientId: CLIENT_ID,
    clientSecret: keys.clientSecret,
    redirectUri: `${publicUrl}/auth/demo/callback`,
  })
  // What a demo takes over from its surroundings.
  const passed = Object.fromEntries(PASSED.flatMap(name => (env[name] ? [[name, env[name]]] : [])))
  const environment = {
    ...passed,
    LOG_LEVEL: env.LOG_LEVEL || 'warn',
    DATA_DIR: dataDir,
    PUBLIC_URL: publicUrl,
    HOST: '127.0.0.1',
    PORT: String(port),
    ALLOWED_DOMAIN: DOMAIN,
    OWNER_EMAIL: demoOwner,
    SESSION_PASSWORD: keys.sessionPassword,
    OAUTH_PROVIDER: 'demo',
    OAUTH_ISSUER: provider.issuer,
    OAUTH_CLIENT_ID: CLIENT_ID,
    OAUTH_CLIENT_SECRET: keys.clientSecret,
    VAPID_PUBLIC_KEY: keys.vapid.publicKey,
    SIGNING_SECRET: keys.vapid.privateKey,
  }
  return { config: readConfig(environment), environment, stop: () => void provider.stop() }
}

export const fileDemoSamples = (db: Database, board: Board, onRows: (done: number, of: number) => void) =>
  fileSamples(db, board, [demoColleague, demoOwner], onRows)
