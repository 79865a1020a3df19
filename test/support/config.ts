import { type Config, readConfig } from '../../server/config/read.ts'
import type { Env } from '../../server/config/settings.ts'

/** A complete configuration for tests of a part; `testApp` makes its own. */
export function testConfig(env: Env = {}): Config {
  return readConfig({
    PUBLIC_URL: 'https://faultline.example.com',
    ALLOWED_DOMAIN: 'example.com',
    OWNER_EMAIL: 'owner@example.com',
    SESSION_PASSWORD: 'a test password of enough different characters',
    OAUTH_PROVIDER: 'test',
    OAUTH_ISSUER: 'http://127.0.0.1:9',
    OAUTH_CLIENT_ID: 'faultline',
    OAUTH_CLIENT_SECRET: 'client-secret',
    ...env,
  })
}
