const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether a URL's host name means this machine itself. */
export const isLoopback = (hostname: string) => LOOPBACK.test(hostname)
