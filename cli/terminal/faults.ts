/** A known end that is not success; the message is for people, each line for itself. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: number = exit.failed,
  ) {
    super(message)
  }
}

export const exit = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  schema: 4,
  noDevice: 5,
  pushRefused: 6,
  interrupted: 130,
  terminated: 143,
} as const
