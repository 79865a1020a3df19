/** The provider is out of reach (503) or answered what makes no sense (502). `detail` and `fix` are for the log. */
export class ProviderFault extends Error {
  constructor(
    readonly status: 502 | 503,
    detail: string,
    readonly fix?: string,
  ) {
    super(detail)
  }
}

/** The provider takes the code for used up or expired: begin again. */
export class AttemptEnded extends Error {}

/** What came as proof of identity does not hold. The message is for the log. */
export class IdentityUnproven extends Error {}
