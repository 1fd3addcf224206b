"""What all pages share: state, services, tasks, words, the frame."""
