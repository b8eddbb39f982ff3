"""Widths of the recurrence."""


class ModelConfig:
    # {% macro fields() %}
    d_state: int = {{design.state_space.d_state}}  # width of the state of each inner feature
    expand: int = {{design.state_space.expand}}  # inner width, as a multiple of dim
    ssm_head_dim: int = {{design.state_space.ssm_head_dim}}  # inner features of a head
    n_ssm_groups: int = {{design.state_space.n_ssm_groups}}  # of heads, for their use of the state
    conv_width: int = {{design.state_space.conv_width}}  # tokens that the convolution sees
    chunk_len: int = {{design.state_space.chunk_len}}  # tokens whose pairs meet in one product
    # {% endmacro %}

    # {% macro methods() %}
    @property
    def d_inner(self) -> int:
        """Inner features of a Mamba-2 layer, of all heads."""
        return self.expand * self.dim

    @property
    def n_ssm_heads(self) -> int:
        """Heads of a Mamba-2 layer."""
        return self.d_inner // self.ssm_head_dim

    @property
    def conv_dim(self) -> int:
        """Channels of the convolution: what is written to the state, and how it is used."""
        return self.d_inner + 2 * self.n_ssm_groups * self.d_state

    # {% endmacro %}
