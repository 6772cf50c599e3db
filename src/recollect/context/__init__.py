"""What an assistant receives: layouts, fitting under a budget, rendering, expansion, feedback."""
