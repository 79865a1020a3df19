export type Oidc = Record<string, never>
