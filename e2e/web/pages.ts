/** The pages that are checked for accessibility and shown by `npm run screenshots`, below the address of a project. */
export const pages: { name: string; path: string }[] = [
  { name: 'traces', path: 'traces' },
  { name: 'threads', path: 'threads' },
  { name: 'compare', path: 'compare' },
  { name: 'evaluations', path: 'evaluations' },
  { name: 'objects', path: 'objects' },
  { name: 'dashboard', path: 'dashboard' },
  { name: 'queues', path: 'queues' },
  { name: 'runs', path: 'runs' },
  { name: 'training', path: 'training' },
  { name: 'playground', path: 'playground' },
  { name: 'settings', path: 'settings' },
  { name: 'settings-members', path: 'settings?tab=members' },
  { name: 'settings-providers', path: 'settings?tab=providers' },
  { name: 'settings-prices', path: 'settings?tab=prices' },
  { name: 'settings-data', path: 'settings?tab=data' },
  { name: 'settings-server', path: 'settings?tab=server' },
];
