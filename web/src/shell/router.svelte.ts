export type Route =
  | { page: 'board' }
  | { page: 'section' | 'defect'; id: string }
  | { page: 'labels' }
  | { page: 'nowhere' }

/** The address as state. Links stay plain links: a click that would stay on the site is answered here. */
export class Router {
  path = $state(location.pathname)
  search = $state(location.search)
  readonly route: Route = $derived(routeOf(this.path))

  constructor() {
    addEventListener('popstate', () => this.arrive())
    document.addEventListener('click', event => this.follow(event))
  }

  /** `replace`: nothing that one would go back to is left behind. */
  go(address: string, { replace = false } = {}): void {
    if (address === this.path + this.search) return
    const { path } = this
    if (replace) history.replaceState(null, '', address)
    else history.pushState(null, '', address)
    this.arrive()
    if (this.path !== path) scrollTo(0, 0)
  }

  private arrive(): void {
    this.path = location.pathname
    this.search = location.search
  }

  private follow(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || event.defaultPrevented || event.button !== 0 || link.target || link.hasAttribute('download'))
      return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    if (link.origin !== location.origin || routeOf(link.pathname).page === 'nowhere' || link.hash) return
    event.preventDefault()
    this.go(link.pathname + link.search)
  }
}

function routeOf(path: string): Route {
  if (path === '/') return { page: 'board' }
  if (path === '/labels') return { page: 'labels' }
  const [, pages, id] = /^\/(sections|defects)\/([^/]+)$/.exec(path) ?? []
  if (id === undefined) return { page: 'nowhere' }
  return { page: pages === 'sections' ? 'section' : 'defect', id: decoded(id) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
