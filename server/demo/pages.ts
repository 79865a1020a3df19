export interface DemoPerson {
  id: string
  name: string
  email: string
  may: string
}

export function demoPeople(allowedDomain: string): DemoPerson[] {
  return [
    {
      id: 'owner',
      name: 'Olive Owner',
      email: `owner@${allowedDomain}`,
      may: 'Files, reads and gets a push message for each defect',
    },
    {
      id: 'colleague',
      name: 'Cole League',
      email: `colleague@${allowedDomain}`,
      may: 'Files and reads defects',
    },
    {
      id: 'outsider',
      name: 'Otto Sider',
      email: 'outsider@elsewhere.example',
      may: 'Has an address of another domain, and is turned away',
    },
  ]
}

/** Whom to be: one link a person, and one to go back without. */
export function demoPage(people: DemoPerson[], query: URLSearchParams): string {
  const to = (person: string) => {
    const parameters = new URLSearchParams(query)
    parameters.set('person', person)
    return Bun.escapeHTML(`/continue?${parameters}`)
  }
  const items = people.map(
    ({ id, name, email, may }) => `<li><a class="person ${id}" href="${to(id)}">
<span class="initial" aria-hidden="true">${Bun.escapeHTML(name[0] ?? '')}</span>
<span><strong>${Bun.escapeHTML(name)}</strong><span class="email">${Bun.escapeHTML(email)}</span><span class="may">${Bun.escapeHTML(may)}</span></span>
</a></li>`,
  )
  return document(
    'Demo sign-in',
    `<h1>Who are you today?</h1>
<p>This stands in for an identity provider such as Google. It runs on this machine only and asks for no password.</p>
<ul>${items.join('\n')}</ul>
<p class="foot"><a href="${to('nobody')}">Cancel</a></p>`,
  )
}

export const demoUnknownPage = document(
  'Demo sign-in',
  '<h1>Unknown client</h1><p>This demo provider serves the demo that started it, and nobody else.</p>',
)

function document(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
</head>
<body><main>${body}</main></body>
</html>
`
}

export const demoStyle = `
:root { color-scheme: light dark; --card: light-dark(#fff, #1d2126); --line: light-dark(#d9dde3, #343b44);
  --soft: light-dark(#5b6470, #a3adb9); --accent: light-dark(#0b62d0, #7db4ff) }
* { box-sizing: border-box }
body { margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 1rem;
  font: 1rem/1.5 system-ui, sans-serif; background: light-dark(#f3f5f8, #14171b); color: light-dark(#1a1f26, #eef1f5) }
main { width: min(28rem, 100%); background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1.75rem }
h1 { margin: 0 0 .5rem; font-size: 1.4rem }
p { margin: 0 0 1rem; color: var(--soft) }
ul { list-style: none; margin: 0 0 1rem; padding: 0; display: grid; gap: .6rem }
.person { display: flex; gap: .9rem; align-items: center; padding: .8rem; border: 1px solid var(--line);
  border-radius: .75rem; color: inherit; text-decoration: none }
.person:hover, .person:focus-visible { border-color: var(--accent); outline: 2px solid var(--accent); outline-offset: -1px }
.person strong, .email, .may { display: block; overflow-wrap: anywhere }
.email { font-size: .9rem }
.may { font-size: .85rem; color: var(--soft) }
.initial { flex: none; width: 2.6rem; aspect-ratio: 1; border-radius: 50%; display: grid; place-items: center;
  font-weight: 700; color: #fff; background: #0b62d0 }
.colleague .initial { background: #1a7f4b }
.outsider .initial { background: #9a5b13 }
.foot { margin: 0 }
a { color: var(--accent) }
`
