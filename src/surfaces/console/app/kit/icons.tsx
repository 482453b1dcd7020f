import type { ReactNode } from 'react';

/** Line drawings on a grid of 16; they repeat what a word beside them says. */
function Icon({ children, size = 16 }: { children: ReactNode; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

export const ServersIcon = () => (
  <Icon>
    <rect x="2" y="2.5" width="12" height="4.5" rx="1" />
    <rect x="2" y="9" width="12" height="4.5" rx="1" />
    <path d="M4.8 4.8h.1M4.8 11.3h.1" />
  </Icon>
);
export const RegistryIcon = () => (
  <Icon>
    <path d="M2.500 2.500h3v11h-3zM6.800 2.500h3v11h-3zM11.200 3.400l2.300-.600 2 10.300-2.300.500z" />
  </Icon>
);
export const WebhooksIcon = () => (
  <Icon>
    <path d="M8 2v5M8 7 4 11.500M8 7l4 4.500" />
    <circle cx="8" cy="2.800" r="1.300" />
    <circle cx="3.500" cy="12.500" r="1.500" />
    <circle cx="12.500" cy="12.500" r="1.500" />
  </Icon>
);
export const ChatIcon = () => (
  <Icon>
    <path d="M2 3h12v8H7.500L4.500 13.500V11H2zM5 6h6M5 8.300h4" />
  </Icon>
);
export const SuitesIcon = () => (
  <Icon>
    <rect x="2.5" y="2" width="11" height="12" rx="1" />
    <path d="m5 5.5 1 1 1.5-2M9.5 5.5h2M5 10l1 1 1.5-2M9.5 10h2" />
  </Icon>
);
export const RunsIcon = () => (
  <Icon>
    <path d="M2 3h3v3H2zM6.5 3h3v3h-3zM11 3h3v3h-3zM2 10h3v3H2zM6.5 10h3v3h-3zM11 10h3v3h-3z" />
  </Icon>
);
export const SwarmsIcon = () => (
  <Icon>
    <circle cx="8" cy="3.8" r="1.8" />
    <circle cx="3.8" cy="11" r="1.8" />
    <circle cx="12.2" cy="11" r="1.8" />
    <path d="M7 5.6 4.8 9.300M9 5.600l2.200 3.700M5.800 11h4.400" />
  </Icon>
);
export const StudiesIcon = () => (
  <Icon>
    <circle cx="5.5" cy="5" r="2.3" />
    <path d="M1.500 13c.3-2.700 1.700-4.200 4-4.200 1 0 1.900.300 2.500.900M9.500 8.500h5v4H12l-1.500 1.500v-1.500h-1z" />
  </Icon>
);
export const SearchIcon = () => (
  <Icon>
    <circle cx="7" cy="7" r="4.5" />
    <path d="m10.5 10.5 3.5 3.5" />
  </Icon>
);
export const CopyIcon = () => (
  <Icon size={14}>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1" />
    <path d="M10.5 5.5v-3h-8v8h3" />
  </Icon>
);
export const DoneIcon = () => (
  <Icon size={14}>
    <path d="m3 8.5 3.2 3L13 4.5" />
  </Icon>
);
export const DownIcon = () => (
  <Icon size={14}>
    <path d="m4 6 4 4 4-4" />
  </Icon>
);
export const MenuIcon = () => (
  <Icon>
    <path d="M2 4h12M2 8h12M2 12h12" />
  </Icon>
);
export const CloseIcon = () => (
  <Icon>
    <path d="m4 4 8 8M12 4l-8 8" />
  </Icon>
);
export const CodeIcon = () => (
  <Icon>
    <path d="m5.5 4-4 4 4 4M10.5 4l4 4-4 4" />
  </Icon>
);
export const SunIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1" />
  </Icon>
);
export const MoonIcon = () => (
  <Icon>
    <path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z" />
  </Icon>
);
export const SystemIcon = () => (
  <Icon>
    <rect x="1.5" y="2.5" width="13" height="8.5" rx="1" />
    <path d="M5.5 14h5M8 11v3" />
  </Icon>
);
export const PreviousIcon = () => (
  <Icon>
    <path d="m10 3-5 5 5 5" />
  </Icon>
);
export const NextIcon = () => (
  <Icon>
    <path d="m6 3 5 5-5 5" />
  </Icon>
);
export const ModelIcon = () => (
  <Icon size={14}>
    <path d="M8 1.5 9.6 6.4 14.5 8l-4.9 1.6L8 14.5 6.4 9.6 1.5 8l4.9-1.6z" />
  </Icon>
);
export const ToolIcon = () => (
  <Icon size={14}>
    <path d="M9.5 2.2a3.7 3.7 0 0 0-3.9 5.2L2 11l3 3 3.6-3.6a3.7 3.7 0 0 0 5.2-3.9L11.5 8.8 9 7 7.2 4.5z" />
  </Icon>
);
export const OverviewIcon = () => (
  <Icon>
    <path d="M2.500 2.500h4.500v6H2.500zM9 2.500h4.500v3H9zM9 7.500h4.500v6H9zM2.500 10.500h4.500v3H2.500z" />
  </Icon>
);
export const EnvironmentsIcon = () => (
  <Icon>
    <path d="m8 2 6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3" />
  </Icon>
);
export const ClientsIcon = () => (
  <Icon>
    <rect x="2" y="3" width="12" height="10" rx="1" />
    <path d="M2 6h12M4 4.500h.1" />
  </Icon>
);
export const SecretsIcon = () => (
  <Icon>
    <circle cx="5" cy="8" r="3" />
    <path d="M8 8h6v2.500M11.500 8v2" />
  </Icon>
);
export const SkillsIcon = () => (
  <Icon>
    <path d="M3 2.500h7l3 3v8H3zM5.500 8h5M5.500 10.500h5" />
  </Icon>
);
export const PluginsIcon = () => (
  <Icon>
    <path d="M5.500 2v3M10.500 2v3M3.500 5h9v3a4.500 4.500 0 0 1-9 0zM8 12.500V15" />
  </Icon>
);
export const GroupsIcon = () => (
  <Icon>
    <rect x="2" y="2" width="5" height="5" rx="1" />
    <rect x="9" y="2" width="5" height="5" rx="1" />
    <rect x="5.500" y="9" width="5" height="5" rx="1" />
  </Icon>
);
export const PeopleIcon = () => (
  <Icon>
    <circle cx="6" cy="5.5" r="2.5" />
    <path d="M1.5 13.5c.3-2.600 2-4 4.500-4s4.200 1.400 4.500 4M11 3.300a2.500 2.500 0 0 1 0 4.400M12 9.800c1.500.500 2.300 1.700 2.500 3.700" />
  </Icon>
);
export const KeyIcon = () => (
  <Icon>
    <circle cx="5" cy="11" r="3" />
    <path d="m7.200 8.800 6.300-6.300M10.500 5.500l2 2" />
  </Icon>
);
export const UsageIcon = () => (
  <Icon>
    <path d="M2 13.500h12M4 13.500V9M8 13.500v-11M12 13.500V6" />
  </Icon>
);
export const AuditIcon = () => (
  <Icon>
    <path d="M3.500 2h9v12h-9zM6 5.500h4M6 8h4M6 10.500h2.500" />
  </Icon>
);
export const SettingsIcon = () => (
  <Icon>
    <path d="M2 4.500h7M12 4.500h2M2 11.500h2M7 11.500h7" />
    <circle cx="10.500" cy="4.500" r="1.500" />
    <circle cx="5.500" cy="11.500" r="1.500" />
  </Icon>
);
export const InstallationIcon = () => (
  <Icon>
    <rect x="4" y="4" width="8" height="8" rx="1" />
    <path d="M6.500 1.500V4M9.500 1.500V4M6.500 12v2.500M9.500 12v2.500M1.500 6.500H4M1.500 9.500H4M12 6.500h2.500M12 9.500h2.500" />
  </Icon>
);
export const ProjectsIcon = () => (
  <Icon>
    <path d="M1.500 4.500v8.500h13V5.500H8L6.500 3.500h-5z" />
  </Icon>
);
