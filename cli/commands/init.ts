import { generateVAPIDKeys } from 'web-push'
import { parseEnv } from '../../server/config/env-file.ts'
import { refuseFaulty } from '../../server/config/partial.ts'
import { generateSessionPassword } from '../../server/config/session-password.ts'
import { blanks, type Chosen, envFile } from '../../server/config/template.ts'
import { inWords } from '../../server/file-fault.ts'
import { createFile, PRIVATE } from '../../server/whole-file.ts'
import type { Command } from '../command.ts'
import { Failure } from '../terminal/faults.ts'
import { oneLine } from '../terminal/print.ts'

type Options = Omit<Chosen, 'sessionPassword' | 'vapid'>

export function init(program: Command) {
  program
    .command('init')
    .argument('[file]', 'the file to write; never overwritten', '.env')
    .description('write a settings file with fresh secrets')
    .option('--public-url <url>', 'the origin that people type')
    .option('--domain <domain>', 'the one e-mail domain that may sign in')
    .option('--owner <e-mail>', 'the one owner')
    .option('--provider <name>', "the identity provider's name in the redirect URI", 'google')
    .option('--issuer <url>', "the provider's OpenID Connect issuer; known for google")
    .option('--client-id <id>', 'the client id that the provider gave you')
    .examples(
      'faultline init --public-url https://faultline.example.com --domain example.com --owner me@example.com',
    )
    .runs(async (io, file: string, options: Options) => {
      const text = envFile({
        ...options,
        sessionPassword: generateSessionPassword(),
        vapid: generateVAPIDKeys(),
      })
      refuseFaulty(parseEnv(text).values)
      write(file, text)
      io.print(...nextSteps(file, options, blanks(text)))
    })
}

function nextSteps(file: string, { publicUrl, provider }: Options, empty: string[]): string[] {
  const origin = publicUrl ? new URL(publicUrl).origin : 'PUBLIC_URL'
  return [
    `Wrote ${oneLine(file)}, readable by you alone.`,
    '',
    'Register this redirect URI with the identity provider:',
    `  ${origin}/auth/${provider}/callback`,
    '',
    empty.length ? `Then fill in ${empty.join(', ')}, and run:` : 'Then run:',
    `  faultline serve --env-file ${oneLine(file)}`,
  ]
}

function write(file: string, text: string) {
  try {
    createFile(file, text, PRIVATE)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EEXIST') throw new Failure(`${file} is there already and stays as it is; name another file`)
    inWords(file, 'written')(error)
  }
}
