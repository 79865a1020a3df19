import type { Command } from 'commander'
import { generateVAPIDKeys } from 'web-push'
import { parseEnv } from '../../server/config/env-file.ts'
import { refuseFaulty } from '../../server/config/partial.ts'
import { createPrivate } from '../../server/config/private-file.ts'
import { generateSessionPassword } from '../../server/config/session-password.ts'
import { blanks, type Chosen, envFile } from '../../server/config/template.ts'
import { fileFault } from '../../server/file-fault.ts'
import { examples } from '../program.ts'
import { run } from '../run.ts'
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
    .addHelpText(
      'after',
      examples(
        'faultline init --public-url https://faultline.example.com --domain example.com --owner me@example.com',
      ),
    )
    .action((file: string, options: Options, command: Command) =>
      run(command, async io => {
        const text = envFile({
          ...options,
          sessionPassword: generateSessionPassword(),
          vapid: generateVAPIDKeys(),
        })
        refuseFaulty(given(text))
        write(file, text)
        for (const line of nextSteps(file, options, blanks(text))) io.print(line)
      }),
    )
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

/** What was said has to hold; what was not said is nobody's fault yet. */
const given = (text: string) =>
  Object.fromEntries(Object.entries(parseEnv(text).values).filter(([, value]) => value))

function write(file: string, text: string) {
  try {
    createPrivate(file, text)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EEXIST') throw new Failure(`${file} is there already and stays as it is; name another file`)
    throw fileFault(error, file, 'written') ?? error
  }
}
